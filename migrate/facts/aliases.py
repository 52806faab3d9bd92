"""Finds the names that stand for one object, and the code that may change it in place.

`view = mask[1:]` is a part of the array `mask`; `view[0] = 9` changes both. A call may change
its arguments, unless we know that it does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects as table

_DEPTH = 3  # If functions pass an argument on, so many calls are followed.
_LIBRARY = (
    *(table.Does.NOTHING, table.Does.STDOUT, table.Does.LOG, table.Does.FILES),
    table.Does.NUMPY_RANDOM,
)
# Attributes and methods that return the object, or a part of it.
_GIVES = table.LOOKS_UP | {
    *("T", "flat", "pop", "ravel", "reshape", "setdefault", "squeeze", "swapaxes"),
    *("transpose", "view", "asarray", "asanyarray", "atleast_1d", "atleast_2d"),
    *("broadcast_to", "expand_dims", "diagonal"),
}
_VALUES = frozenset({"dtype", "ndim", "shape", "size"})
_PURE_METHODS = (
    table.PURE_METHODS
    | table.CHANGING_METHODS
    | table.LOGGING_METHODS
    | table.FILE_METHODS
    | table.GRAPH_METHODS
    | {"choice", "permutation"}
)
_TYPES = frozenset({"dict", "list", "set", "bytearray"})
# Changes that keep the number of entries.
_REORDERING = frozenset({"byteswap", "fill", "reverse", "rotate", "shuffle", "sort"})
# Changes that keep the entries that exist.
_GROWING = frozenset({"add", "append", "extend", "setdefault"})


def find_held(node: ast.AST | None, entries: bool = True) -> set[str]:
    """Names whose object, or a part of it, may be an expression's value: `mask[1:]`, `mask.T`.

    Args:
      entries: whether one entry counts as a part, as in `sizes[0]`.
    """
    key = names.find_key(node) if node is not None else None
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Attribute):
        inner = find_held(node.value, entries)
        return set() if node.attr in _VALUES else inner | ({key} if key else set())
    if isinstance(node, ast.Subscript):
        return find_held(node.value, entries) if entries or _is_slice(node) else set()
    parts: list[ast.expr] = []
    if isinstance(node, (ast.Starred, ast.NamedExpr)):
        parts = [node.value]
    elif isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, (ast.BoolOp, ast.Dict)):
        parts = node.values
    elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        parts = node.elts
    elif isinstance(node, ast.Call):
        if names.get_last_part(node.func) in _GIVES | table.ITERATORS:
            parts = [*node.args, node.func]
    return set().union(*[find_held(part, entries) for part in parts])


def _is_slice(node: ast.Subscript) -> bool:
    return any(isinstance(part, ast.Slice) for part in walk_breadth_first(node.slice))


class Aliases:
    """The names of one object, followed from statement to statement.

    Args:
      known: the names that the object has at first.
      strict: whether a call of unknown code counts as a change of the object.
    """

    def __init__(self, scopes: Scopes, known: Set[str], strict: bool = False) -> None:
        self._scopes = scopes
        self._strict = strict
        self.names = set(known)
        self._entries: set[str] = set()
        self._depth = _DEPTH

    def follow(self, statement: ast.stmt) -> None:
        """Adds names that a statement binds to the object. Drops names that it binds otherwise."""
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            if find_held(statement.iter) & self.names:
                self.names |= names.find_binds(statement.target)
                self._entries |= names.find_binds(statement.target)
        elif isinstance(statement, ast.Assign):
            bound = names.find_binds(statement)
            self._entries -= bound
            if not find_held(statement.value) & self.names:
                self.names -= bound
                return
            self.names |= bound
            if not find_held(statement.value, entries=False) & self.names:
                self._entries |= bound

    def find_changes(self, statement: ast.stmt) -> Iterator[str]:
        """Yields how a statement may change the object: `[key]`, or the name of a call."""
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return
        if isinstance(statement, ast.AugAssign):
            if names.find_key(statement.target) in self.names:
                yield "="
        for node in names.walk_scope(statement):
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                if find_held(node.value) & self.names:
                    yield f"[{ast.unparse(node.slice)}]"
            elif isinstance(node, ast.Call):
                yield from self._find_changes_of_call(node)

    def _find_changes_of_call(self, call: ast.Call) -> Iterator[str]:
        called = call.func
        if isinstance(called, ast.Attribute):
            if called.attr in table.STATEFUL_METHODS:
                if find_held(called.value) & self.names:
                    yield called.attr
        elif isinstance(called, ast.Name):
            # `add = losses.append`, called.
            method = self._find_method(called)
            if method is not None and find_held(method.value) & self.names:
                yield method.attr
        given = {
            position: value
            for position, value in enumerate(call.args)
            if self._is_given(value)
        }
        named = {k.arg: k.value for k in call.keywords if self._is_given(k.value)}
        if (given or named) and self._changes_given(call, given, named):
            yield names.get_last_part(called) or "call"

    def _find_method(self, name: ast.Name) -> ast.Attribute | None:
        """The method of an object that a name stands for, if it changes the object."""
        owner = self._scopes.find_scope(name).find_owner(name.id)
        for binding in owner.bindings.get(name.id, ()) if owner is not None else ():
            value = binding.value if isinstance(binding, ast.Assign) else None
            if isinstance(value, ast.Attribute):
                if value.attr in table.STATEFUL_METHODS:
                    return value
        return None

    def _is_given(self, value: ast.expr) -> bool:
        """Whether an argument is the object. Entries do not count, because most are numbers."""
        return bool(find_held(value, entries=False) & (self.names - self._entries))

    def _changes_given(
        self,
        call: ast.Call,
        given: dict[int, ast.expr],
        named: dict[str | None, ast.expr],
    ) -> bool:
        """Whether a call may change its arguments at these positions, or with these names."""
        called, last = call.func, names.get_last_part(call.func)
        if last in table.CHANGING_FUNCTIONS:
            return 0 in given
        if last in table.CONSUMING or "out" in named:
            return True
        if isinstance(called, ast.Attribute) and names.find_key(called.value) in _TYPES:
            return (
                last in table.STATEFUL_METHODS and 0 in given
            )  # `list.reverse(parts)`
        if self._scopes.resolve(called) is not None:
            return False  # A function of TensorFlow.
        path = self._scopes.find_dotted_path(called) or ""
        if path and table.find_longest(path, table.FUNCTIONS) in _LIBRARY:
            return False
        if isinstance(called, ast.Name):
            owner = self._scopes.find_scope(called).find_owner(called.id)
            if owner is None:
                pure = table.PURE_BUILTINS | table.MAKERS | table.ITERATORS | {"print"}
                return self._strict and called.id not in pure | {
                    "any",
                    "all",
                    "type",
                    "id",
                    "iter",
                }
            bound = owner.bindings.get(called.id, [])
            return any(
                self._changes_parameters(function, given, named)
                if isinstance(function, ast.FunctionDef) and self._depth > 0
                else self._strict
                for function in bound
            )
        return self._strict and last not in _PURE_METHODS

    def _changes_parameters(
        self,
        function: ast.FunctionDef,
        given: dict[int, ast.expr],
        named: dict[str | None, ast.expr],
    ) -> bool:
        """Whether a function may change the values of the given parameters."""
        parameters = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
        if any(p >= len(parameters) for p in given) or None in named:
            return self._strict
        inside = Aliases(
            self._scopes,
            {parameters[p] for p in given} | {n for n in named if n},
            self._strict,
        )
        statements = [
            s for s in walk_breadth_first(function) if isinstance(s, ast.stmt)
        ]
        statements = sorted(statements[1:], key=lambda s: (s.lineno, s.col_offset))
        for _ in range(2):  # The second time covers later rounds of loops.
            for statement in statements:
                inside.follow(statement)
                if not names.list_suites(statement) and inside.may_change(
                    statement, self._depth - 1
                ):
                    return True
        return False

    def may_change(self, statement: ast.stmt, depth: int) -> bool:
        self._depth = depth
        return any(self.find_changes(statement))


def is_seen(change: str, read: str) -> bool:
    """Whether a change alters the result of a read.

    Args:
      change: a result of `find_changes`.
      read: "" for a read of the whole object, "len" for its size, or `[key]` for an entry.
    """
    is_entry = change.startswith("[")
    if read == "len":
        return not (is_entry or change in _REORDERING)
    if not read:
        return True
    if is_entry:
        return change == read or ":" in change
    return change not in _GROWING or read.startswith("[-")
