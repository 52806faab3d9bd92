"""The branches of a condition, its `elif`s among them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes


def is_elif(node: ast.If, scopes: Scopes) -> bool:
    """Whether a condition is another one's `elif`."""
    above = scopes.parents.get(node)
    return (
        isinstance(above, ast.If)
        and above.orelse == [node]
        and (node.col_offset == above.col_offset)
    )


def list_suites(node: ast.If) -> Iterator[list[ast.stmt]]:
    """The suites of a condition and of its `elif`s; [] where it has no `else`."""
    yield node.body
    rest = node.orelse
    if len(rest) == 1 and isinstance(rest[0], ast.If):
        if rest[0].col_offset == node.col_offset:
            yield from list_suites(rest[0])
            return
    yield rest
