"""Writes the user's expressions as they read inside a step function."""

from __future__ import annotations

import ast

from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.scheduled_tags import ScheduledTags
from migrate.facts import names
from migrate.program.code import Code, make_code
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first


class StepExpressions:
    """The user's expressions, as step functions read them."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tags = ScheduledTags(context.program, context.scopes)

    def make_edits(self, node: ast.AST, flow: Flow | None) -> dict[ast.AST, Code]:
        """Returns the edits inside a step: uses of lifts, and calls of schedules."""
        edits: dict[ast.AST, Code] = {}
        for lift in flow.lifts if flow is not None else ():
            edits[lift.node] = lift.use
        for child in walk_breadth_first(node):
            if (
                isinstance(child, (ast.Name, ast.Attribute))
                and isinstance(child.ctx, ast.Load)
                and self._context.program.kinds.get(names.find_key(child) or "")
                is Kind.SCHEDULE
            ):
                edits[child] = self._call_schedule(child, self._tags.is_apart(child))
        return edits

    def call_schedule_first(self, node: ast.AST) -> Code:
        """Writes the value of a schedule, called before all else that a step computes."""
        return self._call_schedule(node, self._tags.is_first(node))

    def _call_schedule(self, node: ast.AST, apart: bool) -> Code:
        key = names.find_key(node) or ""
        return make_code(f"training_session.value_of({key})" if apart else f"{key}()")

    def write_expression(self, node: ast.AST) -> Code:
        """Writes an expression as the step function reads it."""
        edits = self.make_edits(node, None)
        if edits and isinstance(node, (ast.Name, ast.Attribute)):
            return edits.get(node, make_code(node))
        self._context.plan.expressions.update(edits)
        return make_code(node)
