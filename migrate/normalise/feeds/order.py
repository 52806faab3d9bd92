"""Feeds that are computed in the call: brought before it, each value once."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.effects import has_effect
from migrate.normalise.feeds.makers import Makers
from migrate.normalise.feeds.view import View, flatten_expression, list_pairs
from migrate.normalise.text import Edit, Text

_DEFERRED = (ast.Lambda, ast.comprehension, ast.IfExp, ast.BoolOp)


class Order:
    """Keeps the order in which a feed's values are computed."""

    def __init__(self, view: View, makers: Makers) -> None:
        self._view = view
        self._makers = makers

    def hoist_call(self, call: ast.Call) -> Text | None:
        """The call that makes a feed, in a statement of its own before."""
        if self._makers.find_maker(call) is None:
            return None
        statement = self._view.find_statement(call)
        if not isinstance(statement, (ast.Assign, ast.Expr, ast.AugAssign)):
            return None
        if not self._view.text.is_alone(statement):
            return None
        if any(
            isinstance(node, _DEFERRED) for node in self._view.scopes.walk_above(call)
        ):
            return None
        name = self._view.choose_free_name("feed", self._view.find_function(call))
        indent = self._view.indent(statement)
        line = f"{indent}{name} = {flatten_expression(self._view.text, call)}"
        edited = self._view.text.apply_edits([Edit(call, name)])
        return edited.splice(
            statement.lineno,
            statement.lineno - 1,
            [line],
            [self._view.text.origins[call.lineno - 1]],
        )

    def order_values(self, feed: ast.expr) -> Text | None:
        """Values that two or more calls compute: named in the order of the dict.

        A step function takes its feeds in the order of the placeholders, and only those
        it needs; what the calls do beside (draw from a generator) must not change.
        """
        where: ast.AST = feed
        if isinstance(feed, ast.Name):
            owner = self._view.scopes.find_scope(feed).find_owner(feed.id)
            bindings = owner.bindings.get(feed.id, []) if owner is not None else []
            if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
                return None
            where = bindings[0].value
        given = list_pairs(where) if isinstance(where, ast.Dict) else None
        if given is None:
            return None
        drawn = [
            (key, value) for key, value in given if has_effect(value, self._view.scopes)
        ]
        if len(drawn) < 2:
            return None
        statement = self._view.find_statement(where)
        if not isinstance(statement, (ast.Assign, ast.Expr, ast.AugAssign)):
            return None
        if not self._view.text.is_alone(statement):
            return None
        if any(
            isinstance(node, _DEFERRED) for node in self._view.scopes.walk_above(where)
        ):
            return None
        indent, function = self._view.indent(statement), self._view.find_function(where)
        lines: list[str] = []
        edits: list[Edit] = []
        for key, value in drawn:
            spelled = (names.find_key(key) or "value").rpartition(".")[2]
            name = self._view.choose_free_name(f"{spelled}_feed", function)
            lines.append(
                f"{indent}{name} = {flatten_expression(self._view.text, value)}"
            )
            edits.append(Edit(value, name))
        origin = self._view.text.origins[statement.lineno - 1]
        return self._view.text.apply_edits(edits).splice(
            statement.lineno, statement.lineno - 1, lines, [origin] * len(lines)
        )
