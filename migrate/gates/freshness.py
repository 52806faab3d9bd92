"""Decides whether traced code itself made an object, so that no other code has it.

`found = []` in a step is a new list whenever the step is traced. A list of the module, of
an object that was made before, or of a default argument is there when the trace has ended.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from migrate.gates.callees import Callees
from migrate.gates.origins import is_tensorflow
from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects as table

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Expressions that make a new value, whatever their parts are.
_MAKES = (
    *(ast.List, ast.Dict, ast.Set, ast.Tuple, ast.Constant, ast.JoinedStr, ast.BinOp),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda),
    *(ast.UnaryOp, ast.Compare),
)


class Freshness:
    """Decides which objects of a module are new in a trace.

    Args:
      entered: the functions that the trace has entered. It makes their objects anew.
    """

    def __init__(self, callees: Callees, entered: Collection[ast.AST]) -> None:
        self._callees, self._entered = callees, entered
        self._memo: dict[ast.AST, bool] = {}

    def is_fresh(self, node: ast.AST | None) -> bool:
        """Whether the object of an expression was made since the trace began."""
        if node is None:
            return False
        if node not in self._memo:
            self._memo[node] = True  # In a cycle, its other sources decide.
            self._memo[node] = self._decide(node)
        return self._memo[node]

    def _decide(self, node: ast.AST) -> bool:
        if isinstance(node, _MAKES):
            return True
        if isinstance(node, ast.Name):
            return self._is_fresh_name(node)
        if isinstance(node, ast.Attribute):
            return self._is_fresh_attribute(node)
        if isinstance(node, (ast.Subscript, ast.Starred)):
            return self.is_fresh(node.value)
        if isinstance(node, ast.IfExp):
            return self.is_fresh(node.body) and self.is_fresh(node.orelse)
        if isinstance(node, ast.BoolOp):
            return all(map(self.is_fresh, node.values))
        return isinstance(node, ast.Call) and self._is_fresh_call(node)

    def _is_fresh_name(self, name: ast.Name) -> bool:
        owner = self._callees.find_owner(name)
        if owner is None or not self.is_entered(owner.node):
            return False
        return all(
            self._is_fresh_binding(name.id, binding, owner.node)
            for binding in owner.bindings[name.id]
        )

    def is_entered(self, node: ast.AST) -> bool:
        """Whether a scope's names are bound anew, because the trace entered its function."""
        at: ast.AST | None = node
        while at is not None and not isinstance(at, _FUNCTIONS):
            if isinstance(at, (ast.Module, ast.ClassDef)):
                return False
            at = self._callees.scopes.parents.get(at)
        return at in self._entered

    def _is_fresh_binding(self, name: str, binding: ast.AST, owner: ast.AST) -> bool:
        if isinstance(binding, ast.arg):
            return self._is_fresh_argument(binding, owner)
        if isinstance(binding, (ast.With, ast.AsyncWith)):
            return False
        if isinstance(binding, ast.AugAssign):
            return True  # It was bound before.
        if isinstance(binding, _FUNCTIONS):
            return True
        iterated = getattr(binding, "iter", None)
        if iterated is not None:
            return self._holds_fresh(iterated)
        value = getattr(binding, "value", None)
        targets = getattr(binding, "targets", None) or [
            getattr(binding, "target", None)
        ]
        for target in targets:
            if isinstance(target, (ast.Tuple, ast.List)) and isinstance(
                value, (ast.Tuple, ast.List)
            ):
                for one, own in zip(target.elts, value.elts):
                    if isinstance(one, ast.Name) and one.id == name:
                        return self.is_fresh(own)
        return self.is_fresh(value)

    def _holds_fresh(self, iterated: ast.expr) -> bool:
        """Whether the trace made the elements of an iterated object."""
        if isinstance(iterated, (ast.List, ast.Tuple, ast.Set)):
            return all(map(self.is_fresh, iterated.elts))
        return self.is_fresh(iterated)

    def _is_fresh_argument(self, argument: ast.arg, function: ast.AST) -> bool:
        if isinstance(self._callees.scopes.parents.get(function), ast.ClassDef):
            first = [a.arg for a in function.args.args[:1]]  # type: ignore[attr-defined]
            if argument.arg in first:
                return self._is_fresh_receiver(function)
        given = self._callees.origins.find_arguments(function, argument.arg)
        default = _find_default(argument, function.args)  # type: ignore[attr-defined]
        if default is not None and not isinstance(default, ast.Constant):
            return False  # `seen=[]` is made once.
        known = bool(given) or default is not None
        return known and all(map(self.is_fresh, given))

    def _is_fresh_receiver(self, method: ast.AST) -> bool:
        """Whether all calls of a method are on objects that the trace made."""
        name = getattr(method, "name", "")
        if name in ("__init__", "__new__"):
            return True
        called = self._callees.find_method_calls(name)
        return bool(called) and all(
            self.is_fresh(call.value) for call in called if not self._is_outside(call)
        )

    def _is_outside(self, node: ast.AST) -> bool:
        """Whether a node is in code that the trace has not entered."""
        return not self.is_entered(self._callees.scopes.find_scope(node).node)

    def _is_fresh_attribute(self, node: ast.Attribute) -> bool:
        if self._callees.find_path(node) or not self.is_fresh(node.value):
            return False
        values = self._callees.origins.find_attribute_values(node.attr)
        return all(map(self.is_fresh, values))

    def _is_fresh_call(self, call: ast.Call) -> bool:
        called = call.func
        if self._callees.is_class(called):
            return True
        functions = self._callees.find_called_functions(called)
        if functions:
            return all(map(self._returns_fresh, functions))
        path = self._callees.find_path(called)
        if path:
            kind = table.find_longest(path, table.FUNCTIONS)
            return is_tensorflow(path) or kind not in (None, table.Does.UNSEEN)
        if isinstance(called, ast.Name):
            return not self._callees.find_bindings(called) and called.id in table.MAKERS
        if isinstance(called, ast.Attribute):
            if called.attr in table.PURE_METHODS and called.attr not in table.LOOKS_UP:
                return True
            return self._callees.origins.is_of_tensorflow(called.value)
        return False

    def _returns_fresh(self, function: ast.AST) -> bool:
        if isinstance(function, ast.Lambda):
            return self.is_fresh(function.body)
        return all(
            self.is_fresh(node.value)
            for node in walk_breadth_first(function)
            if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None
        )


def _find_default(argument: ast.arg, arguments: ast.arguments) -> ast.expr | None:
    """Returns the value of a parameter that a call does not give."""
    places = [*arguments.posonlyargs, *arguments.args]
    for named, defaults in (
        (places[len(places) - len(arguments.defaults) :], arguments.defaults),
        (arguments.kwonlyargs, arguments.kw_defaults),
    ):
        if argument in named:
            return defaults[named.index(argument)]
    return None
