"""Whether what the code of steps reads of Python is, later, what it was.

Names that are bound anew, attributes that are set, and lists, dicts and arrays that
somebody could change: of these the first call of a step could see another value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.backends.direct_steps.program import BASE, Program
from migrate.facts.scopes import Scope, Scopes
from migrate.tables.host_effects import CHANGING_FUNCTIONS, PURE_BUILTINS

_FIXED = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_READS = (
    *(ast.BinOp, ast.BoolOp, ast.Compare, ast.For, ast.FormattedValue, ast.If),
    *(ast.IfExp, ast.UnaryOp, ast.While, ast.Expr, ast.Assert),
)
# Parts of the paths of functions that may change what they are given.
_CHANGING = CHANGING_FUNCTIONS | {"random", "setattr", "sort", "update"}
# Built-in functions, and methods of lists, dicts, arrays and variables, that change none.
_LEAVING = PURE_BUILTINS | {"print", "set"}
_READING = frozenset(
    {"astype", "copy", "count", "flatten", "format", "get", "get_next", "get_shape"}
    | {"index", "items", "join", "keys", "max", "mean", "min", "numpy", "ravel"}
    | {"read_value", "reshape", "split", "std", "sum", "tolist", "transpose", "values"}
    | {"apply_gradients", "assign", "assign_add", "assign_sub", "gradient", "lookup"}
)


def are_constant(program: Program, parts: Sequence[ast.FunctionDef]) -> bool:
    """Whether what functions read of their surroundings has one value all along."""
    check = _Constants(program, parts)
    return all(check.is_constant(function) for function in parts)


class _Constants:
    def __init__(self, program: Program, parts: Sequence[ast.FunctionDef]) -> None:
        self._program = program
        self._scopes: Scopes = program.scopes
        self._parts = frozenset(parts)
        # The first line at which a graph is complete, of all graphs.
        self._last = min(block.end_lineno or 0 for block in program.blocks)
        self._stored = set(self._find_stored_attributes())
        self._loads: dict[str, list[ast.Name]] = {}
        for node in program.scopes.walk():
            if isinstance(node, ast.Name) and not self._is_traced(node):
                self._loads.setdefault(node.id, []).append(node)

    def is_constant(self, function: ast.FunctionDef) -> bool:
        for node in self._read(function):
            if isinstance(node, ast.Attribute):
                if node.attr in self._stored:
                    return False
                continue
            owner = self._scopes.find_scope(node).find_owner(node.id)
            if owner is None or self._is_traced(owner.node):
                continue  # A built-in name, or one that tracing binds.
            if not self._is_fixed(owner, node.id, set()):
                return False
        return True

    def _is_traced(self, node: ast.AST) -> bool:
        at: ast.AST | None = node
        while at is not None:
            if at in self._parts:
                return True
            at = self._scopes.parents.get(at)
        return False

    def _read(self, function: ast.FunctionDef) -> Iterator[ast.Name | ast.Attribute]:
        for statement in function.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name | ast.Attribute) and isinstance(
                    node.ctx, ast.Load
                ):
                    yield node

    def _find_stored_attributes(self) -> Iterator[str]:
        """Attributes that are set after a graph is built, or nobody knows when."""
        homes = [
            (self._scopes.find_scope(b).node, b.end_lineno or 0)
            for b in self._program.blocks
        ]
        for node in self._scopes.walk():
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                home = self._scopes.find_scope(node).node
                if not all(home is at and node.lineno <= end for at, end in homes):
                    yield node.attr

    def _is_fixed(self, owner: Scope, name: str, seen: set[tuple[int, str]]) -> bool:
        """Whether a name is bound before the graph is complete, and its object stays."""
        if (id(owner), name) in seen:
            return True
        seen.add((id(owner), name))
        if any(name in s.outer_names for s in self._scopes.scope_by_node.values()):
            return False
        mutable = False
        for at in owner.bindings[name]:
            if isinstance(at, _FIXED) or at in self._program.dropped:
                continue
            last = self._find_line_of_graph(owner, name)
            if not isinstance(at, ast.arg) and not self._precedes(at, last):
                return False
            mutable = mutable or not self._is_immutable(at)
            match at:  # Another name of the object.
                case ast.Assign(value=ast.Name() as other):
                    scope = self._scopes.find_scope(other).find_owner(other.id)
                    if scope and not self._is_fixed(scope, other.id, seen):
                        return False
        return not mutable or all(
            self._is_only_read(node, self._find_line_of_graph(owner, name))
            for node in self._loads.get(name, ())
            if self._scopes.find_scope(node).find_owner(name) is owner
        )

    def _find_line_of_graph(self, owner: Scope, name: str) -> int:
        """The first line at which a graph is complete that may read a name.

        A graph of the name's own scope, where there is one; and the one that binds it,
        where no other does.
        """
        ends = []
        for block in self._program.blocks:
            if self._scopes.find_scope(block).node is not owner.node:
                continue
            end = block.end_lineno or 0
            lines = [getattr(at, "lineno", 0) for at in owner.bindings[name]]
            if all(block.lineno <= line <= end for line in lines):
                return end
            ends.append(end)
        return min(ends, default=self._last)

    def _precedes(self, at: ast.AST, last: int) -> bool:
        line = getattr(at, "lineno", None)
        if line is None or line > last:
            return False
        node: ast.AST | None = at
        while node is not None and not isinstance(node, ast.FunctionDef):
            # A loop that goes on below binds it again.
            if isinstance(node, (ast.For, ast.While)):
                if (node.end_lineno or 0) > last:
                    return False
            node = self._scopes.parents.get(node)
        return True

    def _is_immutable(self, at: ast.AST) -> bool:
        """Whether a binding is to a number, a text, or what TensorFlow gives."""
        value = getattr(at, "value", None)
        if isinstance(value, ast.Constant):
            return True
        if isinstance(value, ast.Call):
            path = self._scopes.import_path(value.func)
            if path.startswith(("tensorflow.", "tf_keras.", f"{BASE}.create_global_")):
                return True
            return isinstance(value.func, ast.Name) and value.func.id in (
                *("float", "int", "len", "str", "tuple", "max", "min", "sum", "round"),
            )
        return isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Compare)) and all(
            isinstance(n, (ast.Constant, ast.operator, ast.unaryop, ast.cmpop))
            for n in ast.walk(value)
            if not isinstance(n, (ast.BinOp, ast.UnaryOp, ast.Compare))
        )

    def _is_only_read(self, node: ast.Name, last: int) -> bool:
        """Whether a use leaves the object as it is, and gives it to nobody."""
        if not isinstance(node.ctx, ast.Load):
            return isinstance(node.ctx, ast.Store)  # Bound: see `_precedes`.
        if self._is_closed_over(node) or (
            node.lineno <= last and not self._is_in_function(node)
        ):
            # Before the graph is complete; but it may be given another name.
            return not isinstance(self._scopes.parents[node], ast.Assign)
        at: ast.AST = node
        parent = self._scopes.parents[at]
        while isinstance(parent, (ast.Attribute, ast.Subscript)):
            if not isinstance(parent.ctx, ast.Load) or parent.value is not at:
                return isinstance(parent.ctx, ast.Load)  # An index.
            call = self._scopes.parents[parent]
            if isinstance(parent, ast.Attribute) and isinstance(call, ast.Call):
                if call.func is parent:
                    return parent.attr in _READING
            at, parent = parent, call
        if at is not node and isinstance(at, ast.Attribute):
            return True  # What an attribute gives: a shape, a setting.
        if isinstance(parent, ast.Call):
            return self._leaves(parent)
        if isinstance(parent, ast.Slice | ast.Tuple) and isinstance(
            self._scopes.parents[parent], ast.Subscript
        ):
            return True
        if any(part.iter is at for part in getattr(parent, "generators", ())):
            return True
        return isinstance(parent, _READS) or (
            at is not node and isinstance(parent, (ast.Assign, ast.keyword))
        )

    def _is_closed_over(self, node: ast.Name) -> bool:
        """Whether a function uses a name before it returns the function that reads it."""
        scope = self._scopes.find_scope(node)
        function = scope.node
        if (
            not isinstance(function, ast.FunctionDef)
            or scope.find_owner(node.id) is not scope
        ):
            return False
        inner = [s for s in function.body if s in self._parts]
        return bool(inner) and node.lineno < inner[0].lineno

    def _leaves(self, call: ast.Call) -> bool:
        """Whether a function leaves what it is given as it is."""
        if any(
            function.name == getattr(call.func, "id", None)
            for function in self._program.steps
        ):
            return True
        if any(call in step.runs for step in self._program.steps.values()):
            return True
        if isinstance(call.func, ast.Name) and call.func.id in _LEAVING:
            return self._scopes.find_scope(call.func).find_owner(call.func.id) is None
        path = self._scopes.import_path(call.func)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("write", "run"):
            return True
        # Functions of libraries, a plot's for example.
        return bool(path) and not _CHANGING & set(path.split("."))

    def _is_in_function(self, node: ast.AST) -> bool:
        """Whether a function other than the graph's own has it, which may run later."""
        homes = [self._scopes.find_scope(b).node for b in self._program.blocks]
        return self._scopes.find_scope(node).node not in homes
