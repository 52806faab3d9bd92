"""Writes `list(...)` around `map`, `filter` and `zip` where being lazy matters.

fissix writes `list(map(...))`, but not if a loop or a call takes the values one by one.
There, too, Python 2 had called the function for all of them before the first was taken,
and had copied what a loop's own body changes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes, build_scopes
from migrate.source.nodes import walk_breadth_first

LAZY = frozenset({"filter", "map", "zip"})
# They take all values before anything else happens.
_CONSUMERS = frozenset({"list", "max", "min", "set", "sorted", "sum", "tuple", "dict"})
# It makes no difference when these are called.
_SILENT = frozenset(
    {"abs", "bool", "chr", "float", "int", "len", "ord", "repr", "str", "tuple"}
)
# Values of these calls do not change while they are gone through.
_FIXED = frozenset({"range", "sorted", "list", "tuple", "str"})
_CHANGES = frozenset(
    {"append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse"}
    | {"setdefault", "sort", "update", "add", "discard"}
)


def write_lists(text: str, tree: ast.Module) -> str:
    """The text with `list(...)` around what has to be there before the loop begins."""
    scopes = build_scopes(tree)
    lines = text.encode().split(b"\n")
    edits: list[tuple[int, int, bytes]] = []
    for call in _find_late_calls(scopes):
        assert call.end_lineno is not None and call.end_col_offset is not None
        edits.append((call.lineno, call.col_offset, b"list("))
        edits.append((call.end_lineno, call.end_col_offset, b")"))
    for line, column, new in sorted(edits, reverse=True):
        old = lines[line - 1]
        lines[line - 1] = old[:column] + new + old[column:]
    return b"\n".join(lines).decode()


def _find_late_calls(scopes: Scopes) -> Iterator[ast.Call]:
    for node in walk_breadth_first(scopes.tree):
        if (
            not isinstance(node, ast.Call)
            or _find_builtin(node.func, scopes) not in LAZY
        ):
            continue
        parent = scopes.parents.get(node)
        taken = False
        if isinstance(parent, ast.Call) and node in parent.args:
            taken = True
            if _find_builtin(parent.func, scopes) in _CONSUMERS:
                continue
        # fissix leaves two: what is gone through, and what a call goes through.
        if not taken and not isinstance(parent, ast.For | ast.comprehension):
            continue
        loop = parent if isinstance(parent, ast.For) else None
        if _is_seen(node, loop, scopes):
            yield node


def _is_seen(call: ast.Call, loop: ast.For | None, scopes: Scopes) -> bool:
    """Whether it shows when the values are made."""
    arguments = list(call.args)
    if _find_builtin(call.func, scopes) != "zip":
        function = arguments.pop(0) if arguments else None
        if not _is_silent(function, scopes):
            return True
    return any(_may_change(argument, loop, scopes) for argument in arguments)


def _is_silent(function: ast.expr | None, scopes: Scopes) -> bool:
    if isinstance(function, ast.Constant):
        return function.value is None
    if isinstance(function, ast.Lambda):
        return not any(
            isinstance(n, ast.Call | ast.NamedExpr)
            for n in walk_breadth_first(function.body)
        ) and all(
            scopes.find_scope(n).find_owner(n.id) is scopes.scope_by_node.get(function)
            for n in walk_breadth_first(function.body)
            if isinstance(n, ast.Name)
        )
    return _find_builtin(function, scopes) in _SILENT


def _may_change(argument: ast.expr, loop: ast.For | None, scopes: Scopes) -> bool:
    """Whether values may be others when they are taken later: an iterator's, a changed one's."""
    if isinstance(argument, ast.Constant | ast.List | ast.Tuple | ast.ListComp):
        return False
    if isinstance(argument, ast.Call):
        return _find_builtin(argument.func, scopes) not in _FIXED
    if not isinstance(argument, ast.Name | ast.Attribute | ast.Subscript):
        return True
    if loop is None:
        return False
    base = ast.unparse(argument)
    return any(
        base in _find_changed(node)
        for part in loop.body
        for node in walk_breadth_first(part)
    )


def _find_changed(node: ast.AST) -> set[str]:
    """Spellings of what a node may change in place."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return {ast.unparse(node.func.value)} if node.func.attr in _CHANGES else set()
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return {ast.unparse(node.value)}
    if isinstance(node, ast.AugAssign):
        return {ast.unparse(node.target)}
    return set()


def _find_builtin(node: ast.expr | None, scopes: Scopes) -> str:
    """The name of a builtin function, "" of what the module names so itself."""
    if not isinstance(node, ast.Name):
        return ""
    return node.id if scopes.find_scope(node).find_owner(node.id) is None else ""
