"""Small tools for laying out suites."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from migrate.facts import names
from migrate.plan import Block, Dropped, Item, Keep


def is_empty(items: Sequence[Item]) -> bool:
    """Whether a suite of these items would hold no statement."""
    return all(isinstance(item, Dropped) for item in items)


def rebuild_statement(
    statement: ast.stmt,
    inner: Callable[[list[ast.stmt]], list[Item]],
) -> Item:
    """A compound statement with its suites passed through `inner`.

    One whose suites all become empty is dropped with them; an emptied `else` goes.
    """
    suites = {field: inner(suite) for field, suite in names.list_suites(statement)}
    if suites and all(is_empty(items) for items in suites.values()):
        return Dropped(statement)
    return Keep(statement, suites)


__all__ = ["Block", "is_empty", "rebuild_statement"]
