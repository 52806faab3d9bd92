"""Finds tensors of the graph by the name that the program itself gives them.

    with tf.name_scope("train"):
        accuracy = tf.reduce_mean(hits, name="accuracy")

Here "train/accuracy:0" is `accuracy`. TF1 adds a number to a name that is already taken.
So each part of the name has to be written out once, before any other use of it, and the
whole graph has to be in sight.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes
from migrate.tables import named_tensors as table
from migrate.tables import roles, symbols


class NamedTensors:
    """The named tensors of one scope.

    Args:
      scope: of the function, or the module, that builds the graph.
    """

    def __init__(self, scopes: Scopes, scope: Scope) -> None:
        self._scopes, self._scope = scopes, scope
        self._read: dict[str, ast.Name] = {}
        self._strings = [
            (node, node.value)
            for node in scopes.walk()
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]

    def find(self, name: str) -> ast.Name | None:
        """Returns a read of the variable that holds the graph's tensor of this name, or None.

        Args:
          name: of the tensor, with ":0", or of its operation.
        """
        name = name.removesuffix(":0")
        if ":" in name or not self._is_graph_in_sight():
            return None
        found = [t for t in self._find_targets() if self._read_graph_name(t) == name]
        if len(found) != 1:
            return None
        (target,) = found
        if target.id not in self._read:
            self._read[target.id] = self._scopes.read(target)
        return self._read[target.id]

    def _is_graph_in_sight(self) -> bool:
        """Whether no other file may add to the graph."""
        for node in self._scopes.walk():
            root = node.func if isinstance(node, ast.Call) else None
            while isinstance(root, ast.Attribute):
                root = root.value
            if not isinstance(root, ast.Name):
                continue
            owner = self._scopes.find_scope(root).find_owner(root.id)
            for bound in owner.bindings[root.id] if owner is not None else ():
                if not isinstance(bound, (ast.Import, ast.ImportFrom)):
                    continue
                modules = [getattr(bound, "module", None) or ""]
                if isinstance(bound, ast.Import):
                    modules = [a.name for a in bound.names]
                level = getattr(bound, "level", 0)
                tops = {module.partition(".")[0] for module in modules}
                if level or not tops <= table.HOST | sys.stdlib_module_names:
                    return False
        return True

    def _find_targets(self) -> Iterator[ast.Name]:
        """Yields names that only one statement of the scope binds, to the result of a call."""
        for name, bound in self._scope.bindings.items():
            if len(bound) != 1 or not isinstance(bound[0], ast.Assign):
                continue
            targets = bound[0].targets
            if len(targets) == 1 and isinstance(targets[0], ast.Name):
                if isinstance(bound[0].value, ast.Call):
                    assert targets[0].id == name
                    yield targets[0]

    def _read_graph_name(self, target: ast.Name) -> str | None:
        """Returns the name of a tensor in the graph; None if it is not certain."""
        statement = self._scopes.parents[target]
        assert isinstance(statement, ast.Assign)
        call = statement.value
        assert isinstance(call, ast.Call)
        symbol = self._scopes.resolve(call.func) or ""
        outer = self._find_scope_names(statement)
        if outer is None:
            return None
        if symbol in table.GLOBAL_STEP:
            return None if outer else "global_step"
        if symbol not in table.NAMED and symbol not in table.VARIABLES:
            return None
        position = table.VARIABLES.get(symbol)
        given = names.find_argument(call, "name", position)
        parts = [*outer, given]
        if not all(self._is_alone(part) for part in parts):
            return None
        return "/".join(str(names.read_literal(part)) for part in parts)

    def _find_scope_names(self, statement: ast.stmt) -> list[ast.expr] | None:
        """Returns the names of the scopes around a statement; None if they are not known."""
        found: list[ast.expr] = []
        parent = self._scopes.parents[statement]
        while not isinstance(parent, (ast.Module, ast.FunctionDef)):
            if not isinstance(parent, ast.With):
                return None  # The statement may run several times, or not at all.
            for item in reversed(parent.items):
                call = item.context_expr
                if not isinstance(call, ast.Call):
                    return None
                symbol = self._scopes.resolve(call.func) or ""
                if symbol in roles.SCOPES:
                    if len(call.args) != 1 or call.keywords:
                        return None
                    found.insert(0, call.args[0])
                elif symbol not in table.AROUND and not self._is_graph(call):
                    return None
            parent = self._scopes.parents[parent]
        return found

    def _is_graph(self, call: ast.Call) -> bool:
        """Whether a call is `tf.Graph().as_default()`."""
        func = call.func
        made = func.value if isinstance(func, ast.Attribute) else None
        return isinstance(made, ast.Call) and (
            self._scopes.resolve(made.func) == "tf.Graph"
        )

    def _is_alone(self, part: ast.expr | None) -> bool:
        """Whether all other uses of a name come after it, so that TF1 numbers those."""
        text = names.read_literal(part)
        if not isinstance(text, str) or not text.isidentifier():
            return False
        if any(symbols.look_up(f"{m}.{text}") for m in table.FUNCTIONS):
            return False  # An operation without a name of its own may have it.
        if text.rpartition("_")[2].isdigit():
            return False
        assert part is not None
        for other, value in self._strings:
            if other is part or value.partition("/")[0] != text:
                continue
            if not self._is_later(other, part) and not self._is_no_name(other):
                return False
        return True

    def _is_later(self, other: ast.Constant, part: ast.expr) -> bool:
        scope = self._scopes.find_scope(other)
        return scope is self._scope and other.lineno > part.lineno

    def _is_no_name(self, other: ast.Constant) -> bool:
        """Whether a text names no operation: a key, or an argument of a hook or a builtin."""
        parent = self._scopes.parents[other]
        if isinstance(parent, ast.Dict):
            return other in parent.keys or self._asks(parent)
        return isinstance(parent, ast.Subscript) or self._asks(parent)

    def _asks(self, node: ast.AST) -> bool:
        while isinstance(node, (ast.List, ast.Tuple, ast.Dict, ast.keyword)):
            node = self._scopes.parents[node]
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Attribute) and node.func.attr == table.BY_GRAPH:
            return True
        symbol = self._scopes.resolve(node.func) or ""
        return symbol in table.ASK or self._is_builtin(node.func)

    def _is_builtin(self, func: ast.expr) -> bool:
        """Whether a callee is one of Python's own functions."""
        return isinstance(func, ast.Name) and (
            self._scopes.find_scope(func).find_owner(func.id) is None
        )
