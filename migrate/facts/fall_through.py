"""Whether control goes on after a suite."""

from __future__ import annotations

import ast

from migrate.source.nodes import walk_breadth_first

_JUMPS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit"})


def returns(suite: list[ast.stmt]) -> bool:
    """Whether every way through a suite ends in `return` or `raise`."""
    return _ends(suite, (ast.Return, ast.Raise), frozenset())


def leaves(suite: list[ast.stmt]) -> bool:
    """Whether a suite never goes on to what stands after it."""
    return _ends(suite, _JUMPS, _EXITS)


def _ends(
    suite: list[ast.stmt], ways: tuple[type[ast.stmt], ...], exits: frozenset[str]
) -> bool:
    if not suite:
        return False
    last = suite[-1]
    if isinstance(last, ast.If):
        return _ends(last.body, ways, exits) and _ends(last.orelse, ways, exits)
    if isinstance(last, ast.With):
        return _ends(last.body, ways, exits)
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return ast.unparse(last.value.func) in exits
    return isinstance(last, ways)


def may_leave(statement: ast.stmt) -> bool:
    """Whether a statement may jump past those after it, other than by an error."""
    return any(
        isinstance(node, (*_JUMPS, ast.Assert, ast.Yield, ast.YieldFrom))
        for node in walk_breadth_first(statement)
    )
