"""Finds the modes in which a hook is called, by where its class's objects go."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.names import get_last_part
from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes
from migrate.frontends.callbacks.attributes import find_paired_value
from migrate.frontends.callbacks.reasons import NoCallback
from migrate.source.nodes import walk_breadth_first
from migrate.tables import callbacks as table
from migrate.tables.estimator import find_public

_ADDS = ("append", "extend", "insert")


class Ways:
    """Follows objects to the Estimators that call them."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes

    def find_modes(self, made: ast.Call) -> set[str]:
        """The modes of an object, by the call that makes it.

        Raises:
          NoCallback: it goes where it is not followed.
        """
        return set(self._list_modes(made, set()))

    def _list_modes(self, node: ast.expr, seen: set[object]) -> Iterator[str]:
        if node in seen:
            return
        seen.add(node)
        parent = self._scopes.parents[node]
        target = self._find_paired_target(node, parent)
        if target is not None:
            yield from self._list_modes_of_name(target, seen)
        elif isinstance(parent, (ast.List, ast.Tuple, ast.IfExp, ast.Starred)):
            yield from self._list_modes(parent, seen)
        elif isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add):
            yield from self._list_modes(parent, seen)
        elif isinstance(parent, ast.keyword):
            call = self._scopes.parents[parent]
            if not isinstance(call, ast.Call) or parent.arg is None:
                raise _make_lost_error(node)
            yield from self._list_modes_of_argument(call, parent.arg, seen)
        elif isinstance(parent, ast.Call) and node in parent.args:
            yield from self._read_argument(parent, parent.args.index(node), seen)
        elif isinstance(parent, (ast.Assign, ast.AugAssign)):
            targets = getattr(parent, "targets", None) or [parent.target]  # type: ignore[union-attr]
            for target in targets:
                if not isinstance(target, ast.Name):
                    raise _make_lost_error(node)
                yield from self._list_modes_of_name(target, seen)
        elif isinstance(parent, ast.Return):
            yield from self._list_modes_of_return(parent, seen)
        elif isinstance(parent, ast.Expr):
            return  # It is made, and goes nowhere.
        elif not isinstance(
            parent, (ast.Attribute, ast.If, ast.Compare, ast.Subscript)
        ):
            raise _make_lost_error(node)

    def _find_paired_target(self, node: ast.expr, parent: ast.AST) -> ast.Name | None:
        """The name that a value has in `a, b = A(), B()`."""
        if not isinstance(parent, ast.Tuple):
            return None
        statement = self._scopes.parents[parent]
        if isinstance(statement, ast.Assign) and statement.value is parent:
            targets = statement.targets[0]
            if isinstance(targets, ast.Tuple) and find_paired_value(
                statement, targets, 0
            ):
                target = targets.elts[parent.elts.index(node)]
                return target if isinstance(target, ast.Name) else None
        return None

    def _read_argument(
        self, call: ast.Call, position: int, seen: set[object]
    ) -> Iterator[str]:
        name = get_last_part(call.func)
        if name in _ADDS and isinstance(call.func, ast.Attribute):
            if not isinstance(call.func.value, ast.Name):
                raise _make_lost_error(call)
            yield from self._list_modes_of_name(call.func.value, seen)
        elif name in ("list", "tuple") and isinstance(call.func, ast.Name):
            yield from self._list_modes(call, seen)
        elif (name, position) in table.POSITIONS:
            yield from self._list_modes_of_argument(
                call, table.POSITIONS[name, position], seen
            )
        else:
            functions = self._find_functions(call.func)
            for function in functions:
                arguments = function.args.args
                if position >= len(arguments):
                    raise _make_lost_error(call)
                yield from self._read_parameter(function, arguments[position].arg, seen)
            if not functions:
                raise _make_lost_error(call)

    def _list_modes_of_argument(
        self, call: ast.Call, name: str, seen: set[object]
    ) -> Iterator[str]:
        symbol = self._scopes.resolve(call.func)
        last = get_last_part(call.func)
        is_method = symbol is None and isinstance(call.func, ast.Attribute)
        if (
            symbol is not None
            and find_public(symbol) == f"tf.estimator.{last}"
            or is_method
        ):
            mode = table.GIVEN.get((last, name))
            if mode is not None:
                yield mode
                return
        functions = self._find_functions(call.func)
        if not functions:
            raise _make_lost_error(call)
        for function in functions:
            yield from self._read_parameter(function, name, seen)

    def _find_functions(self, func: ast.expr) -> list[ast.FunctionDef]:
        if not isinstance(func, ast.Name):
            return []
        found = find_definitions(self._scopes, func)
        return [f for f in found if isinstance(f, ast.FunctionDef)]

    def _read_parameter(
        self, function: ast.FunctionDef, name: str, seen: set[object]
    ) -> Iterator[str]:
        arguments = function.args
        every = [*arguments.args, *arguments.kwonlyargs]
        if not any(a.arg == name for a in every):
            raise _make_lost_error(function)
        for node in walk_breadth_first(function):
            if isinstance(node, ast.Name) and node.id == name:
                yield from self._read(node, seen)

    def _list_modes_of_name(self, target: ast.Name, seen: set[object]) -> Iterator[str]:
        owner = self._scopes.find_scope(target).find_owner(target.id)
        if owner is None:
            raise _make_lost_error(target)
        if (owner.node, target.id) in seen:
            return
        seen.add((owner.node, target.id))
        for node in walk_breadth_first(owner.node):
            if isinstance(node, ast.Name) and node.id == target.id:
                if self._scopes.find_scope(node).find_owner(node.id) is owner:
                    yield from self._read(node, seen)

    def _read(self, node: ast.Name, seen: set[object]) -> Iterator[str]:
        if isinstance(node.ctx, ast.Load):
            yield from self._list_modes(node, seen)

    def _list_modes_of_return(
        self, statement: ast.Return, seen: set[object]
    ) -> Iterator[str]:
        node: ast.AST = statement
        while not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.Module)):
            node = self._scopes.parents[node]
        if not isinstance(node, ast.FunctionDef):
            raise _make_lost_error(statement)
        called = False
        for name in walk_breadth_first(self._scopes.tree):
            if isinstance(name, ast.Name) and node in find_definitions(
                self._scopes, name
            ):
                call = self._scopes.parents[name]
                if not isinstance(call, ast.Call) or call.func is not name:
                    raise _make_lost_error(name)
                called = True
                yield from self._list_modes(call, seen)
        if not called:
            raise _make_lost_error(statement)


def _make_lost_error(node: ast.AST) -> NoCallback:
    return NoCallback(
        node, "the tool cannot tell in which Estimator's steps it is called"
    )
