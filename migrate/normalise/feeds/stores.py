"""Finds the statements that give a feed its values, and the runs that it feeds."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable

from migrate.facts.scopes import Scope
from migrate.normalise.feeds.view import (
    Unclear,
    View,
    feed_argument,
    list_pairs,
    walk_scope,
)


@dataclasses.dataclass(frozen=True)
class Store:
    """A statement that gives a feed values: all of them (`first`), or some more."""

    statement: ast.stmt
    pairs: tuple[tuple[ast.expr, ast.expr], ...]
    first: bool


class Stores:
    """Finds them in a function."""

    def __init__(
        self, view: View, argument: Callable[[ast.AST], ast.expr | None] = feed_argument
    ) -> None:
        self._view = view
        self._argument = argument

    def follow_feed(
        self, name: str, scope: Scope
    ) -> tuple[list[Store], list[ast.Name]]:
        """Finds all that happens to a feed in its function.

        Raises:
          Unclear: something else happens to it.
        """
        stores: list[Store] = []
        uses: list[ast.Name] = []
        for node in walk_scope(scope):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            parent = self._view.scopes.parents[node]
            if isinstance(node.ctx, ast.Store):
                if not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
                    raise Unclear
                given = list_pairs(parent.value)
                if given is None:
                    raise Unclear
                stores.append(Store(parent, given, True))
            elif isinstance(parent, ast.Subscript) and isinstance(
                parent.ctx, ast.Store
            ):
                assignment = self._view.scopes.parents[parent]
                if (
                    not isinstance(assignment, ast.Assign)
                    or len(assignment.targets) != 1
                ):
                    raise Unclear
                pair = (parent.slice, assignment.value)
                stores.append(Store(assignment, (pair,), False))
            elif isinstance(parent, ast.Attribute) and parent.attr == "update":
                update = self._view.scopes.parents[parent]
                statement = self._view.scopes.parents.get(update)
                if not (
                    isinstance(update, ast.Call)
                    and isinstance(statement, ast.Expr)
                    and len(update.args) == 1
                    and not update.keywords
                ):
                    raise Unclear
                given = list_pairs(update.args[0])
                if given is None:
                    raise Unclear
                stores.append(Store(statement, given, False))
            elif self.is_feed(node) or isinstance(parent, ast.Return):
                uses.append(node)
            else:
                raise Unclear
        return stores, uses

    def is_feed(self, node: ast.expr) -> bool:
        """Whether a call that runs a session is fed with it."""
        for above in self._view.scopes.walk_above(node):
            if isinstance(above, ast.Call):
                return self._argument(above) is node
        return False

    def can_be_moved(
        self, stores: list[Store], uses: list[ast.Name], scope: Scope
    ) -> bool:
        """Whether the display can as well stand at its uses: nothing changes between."""
        if len(stores) != 1:
            return False
        if all(self.is_stable(v, scope) for _, v in stores[0].pairs):
            return True
        suite = self._view.find_suite(stores[0].statement)
        following = suite[suite.index(stores[0].statement) + 1 :][:1]
        return len(uses) == 1 and following == [self._view.find_statement(uses[0])]

    def is_stable(self, value: ast.expr, scope: Scope) -> bool:
        """Whether it has one value wherever it is read."""
        if isinstance(value, ast.Constant):
            return True
        if isinstance(value, ast.Name):
            owner = scope.find_owner(value.id)
            return owner is None or len(owner.bindings[value.id]) == 1
        return False
