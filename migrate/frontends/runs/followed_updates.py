"""Follows an update to the values that need it, through the statements of a function or loop.

    up = count.assign_add(1)
    with tf.control_dependencies([up]):
        y = tf.square(x)
    return y, x

Here the first part of the result needs the update, and the second does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_ADDING = frozenset({"add", "append", "extend", "insert", "setdefault", "update"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_NO_OPERATIONS = (ast.Name, ast.Attribute, ast.Constant)

# Places in a tuple, keys of a dict, names of attributes; None for all.
Parts = frozenset[object] | None


class Follower:
    """Follows an update through statements to the values that need it.

    Attributes:
      carriers: the names of such values, each with the parts that need the update.
      waits: whether the operations of a statement wait for the update.
    """

    def __init__(self, scopes: Scopes, update: ast.AST, in_parts: bool = True) -> None:
        self._scopes = scopes
        self._update = update
        self._in_parts = in_parts
        self.carriers: dict[str, Parts] = {}
        self._has_begun = False
        self.waits = False

    def enter(self, statement: ast.stmt) -> bool:
        """Begins a statement, in the blocks around it; whether the update comes before."""
        self._has_begun |= self._update in walk_breadth_first(statement)
        self.waits = False
        self.waits = any(map(self.needs, list_headers_above(self._scopes, statement)))
        return self._has_begun

    def follow(self, statement: ast.stmt) -> None:
        """Takes in what a statement computes."""
        if not self.enter(statement):
            return
        match statement:
            case ast.For(target=target, iter=iterated):
                if self.needs(iterated):
                    self._add_carriers(names.find_binds(target), None)
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)
            ) if self._in_parts and len(targets) == len(values):
                for inner, part in zip(targets, values, strict=True):
                    if self.needs(part):
                        self._add_carriers(
                            names.find_binds(inner), self.find_parts(part)
                        )
            case ast.Assign(targets=targets, value=value):
                if self.needs(value):
                    whole = all(map(names.find_key, targets))
                    parts = self.find_parts(value) if whole else None
                    self._add_carriers(names.find_binds(statement), parts)
                    self._add_carriers(list_filled(statement), None)
            case ast.AugAssign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                if self.needs(value):
                    self._add_carriers(names.find_binds(statement), None)
            case ast.Expr(value=value):
                if self.needs(value):
                    self._add_carriers(list_filled(statement), None)

    def _add_carriers(self, keys: set[str], parts: Parts) -> None:
        for key in keys:
            before = self.carriers.get(key, frozenset())
            if parts is None or before is None:
                self.carriers[key] = None
            else:
                self.carriers[key] = before | parts

    def needs(self, node: ast.AST) -> bool:
        """Whether the value of an expression needs the update."""
        return (
            self._update in walk_breadth_first(node)
            or (self.waits and not isinstance(node, _NO_OPERATIONS))
            or any(map(self._is_carrier, walk_breadth_first(node)))
        )

    def _is_carrier(self, node: ast.AST) -> bool:
        key = names.find_key(node)
        if key not in self.carriers:
            return False
        parts = self.carriers[key]
        part = find_part(self._scopes, node)
        return parts is None or part is None or part in parts

    def find_parts(self, value: ast.expr) -> Parts:
        """The parts of a value that need the update; None if all of it does."""
        parts: dict[object, ast.expr] = {}
        match value:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                parts = dict(enumerate(elements))
                if any(isinstance(e, ast.Starred) for e in elements):
                    return None
            case ast.Dict(keys=keys, values=values):
                for key, part in zip(keys, values, strict=True):
                    if not isinstance(key, ast.Constant):
                        return None
                    parts[key.value] = part
            case ast.Call(func=function, args=[], keywords=keywords) if (
                self._scopes.resolve(function) is None
            ):
                for keyword in keywords:
                    if keyword.arg is None:
                        return None
                    parts[keyword.arg] = keyword.value
        if not parts or not self._in_parts:
            return None if self.needs(value) else frozenset()
        found = frozenset(k for k, part in parts.items() if self.needs(part))
        return None if len(found) == len(parts) else found


def find_part(scopes: Scopes, node: ast.AST) -> object:
    """Which part of a value code takes, `outs[0]`, `outs["y"]`, `outs.y`; None for all."""
    above = scopes.parents.get(node)
    match above:
        case ast.Subscript(value=value, slice=ast.Constant(value=part)) if (
            value is node
        ):
            return part
        case ast.Attribute(attr=name):
            call = scopes.parents.get(above)
            method = isinstance(call, ast.Call) and call.func is above
            return None if method else name
    return None


def list_filled(statement: ast.stmt) -> set[str]:
    """The containers to which a statement adds: `a.append(x)`, `a[k] = x`, `a += [x]`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=base, attr=attr))) if (
            attr in _ADDING
        ):
            return {names.find_key(base) or ""} - {""}
        case ast.Assign(targets=targets):
            return {
                names.find_key(t.value) or ""
                for t in targets
                if isinstance(t, ast.Subscript)
            } - {""}
        case ast.AugAssign(target=target):
            return {names.find_key(target) or ""} - {""}
    return set()


def list_headers_above(scopes: Scopes, statement: ast.stmt) -> Iterator[ast.expr]:
    """What the blocks around a statement wait for."""
    above = scopes.parents.get(statement)
    while above is not None and not isinstance(above, _FUNCTIONS):
        if isinstance(above, ast.With):
            for item in above.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and (
                    scopes.resolve(call.func) == "tf.control_dependencies"
                ):
                    yield call
        above = scopes.parents.get(above)
