"""Finds functions that Python calls without a written call: properties, operators, contexts.

`x * counter.next_id` may run a property, `with Deeper():` runs `__enter__`, and what
decorates a function runs whenever that is called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.gates.callees import Callees, Function, get_last_name
from migrate.tables import host_effects as table

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class ImplicitCalls:
    """The methods and decorators of one module that Python runs without a written call."""

    def __init__(self, callees: Callees) -> None:
        self._callees = callees
        methods = [f for found in callees.methods.values() for f in found]
        self._properties = {
            function.name
            for function in methods
            if isinstance(function, _DEFINITIONS)
            and any(
                get_last_name(d) in table.PROPERTIES or _is_accessor(d)
                for d in function.decorator_list
            )
        }
        self._operators = {name for name in callees.methods if name.startswith("__")}

    def run_by(self, node: ast.AST) -> Iterator[Function]:
        """Yields the functions that an expression may run, besides its own calls."""
        if isinstance(node, ast.Attribute) and node.attr in self._properties:
            if not self._callees.find_path(node):
                yield from self._callees.methods[node.attr]
        if isinstance(node, ast.Call):
            for function in self._callees.find_called_functions(node.func):
                yield from self._find_decorating(function)
        if self._operators:
            for name in self._find_methods(node):
                if name in self._operators:
                    yield from self._callees.methods[name]

    def _find_methods(self, node: ast.AST) -> tuple[str, ...]:
        kind = node
        if isinstance(node, (ast.BinOp, ast.AugAssign, ast.UnaryOp)):
            kind = node.op
        found = table.OPERATORS.get(type(kind).__name__, ())
        if isinstance(node, ast.Compare):
            found += tuple(
                n for op in node.ops for n in table.OPERATORS.get(type(op).__name__, ())
            )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found += self._list_called_methods(node, node.func)
        return found

    def _list_called_methods(self, call: ast.Call, name: ast.Name) -> tuple[str, ...]:
        """Returns the methods that `network(x)` or `len(layers)` runs."""
        if not self._callees.find_bindings(name):
            return (f"__{name.id}__",) if call.args else ()
        if self._callees.find_called_functions(name) or self._callees.is_class(name):
            return ()
        if self._callees.is_own_network(name):
            return ()  # Keras's own method, which calls `call`.
        return ("__call__",)

    def _find_decorating(self, function: Function) -> Iterator[Function]:
        """Yields the functions that a function's decorators have put around it."""
        for decorator in getattr(function, "decorator_list", ()):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            for maker in self._callees.find_called_functions(called):
                for inner in ast.walk(maker):
                    if inner is not maker and isinstance(inner, _DEFINITIONS):
                        yield inner


def _is_accessor(decorator: ast.expr) -> bool:
    """Whether a decorator is like `@rate.setter`."""
    return isinstance(decorator, ast.Attribute) and decorator.attr in (
        *("deleter", "getter", "setter"),
    )
