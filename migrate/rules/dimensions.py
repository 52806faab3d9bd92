"""`.value` of a dimension, in files of every kind: in TensorFlow 2 it is the number itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.dimensions import find_dimensions
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.plan import Plan
from migrate.program.code import make_code

_NUMBER = "a dimension is a number, or None, in TF2"
_UNKNOWN = (
    "this may be a dimension of a shape. In TensorFlow 2 a dimension is a number "
    "and has no `value`. But it may also be something else"
)
_RECIPE = "If it is a dimension, write tf.compat.dimension_value(...)."


def plan_values(scopes: Scopes, plan: Plan) -> Iterator[Finding]:
    """Takes `.value` off what is a dimension; refuses what may be one."""
    if plan.keeps_compat or (scopes.imports_compat() and not plan.suites):
        return  # Shapes as TensorFlow 1 has them.
    for node, certain in find_dimensions(scopes).find_values():
        if not certain or not isinstance(node, ast.Attribute):
            yield _make_finding(node, Outcome.REFUSED, _UNKNOWN, _RECIPE)
        elif node not in plan.expressions:
            plan.replace(node, make_code(node.value))
            yield _make_finding(node, Outcome.REWRITTEN, _NUMBER)


def _make_finding(
    node: ast.expr, outcome: Outcome, reason: str, recipe: str = ""
) -> Finding:
    line, column = node.lineno, node.col_offset + 1
    return Finding(line, column, "E105", outcome, "", reason, recipe)
