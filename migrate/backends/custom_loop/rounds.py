"""Finds objects that a loop of the graph makes in each round; lists keep them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.program import ir
from migrate.program.ir import Flow


def list_round_statements(flows: Sequence[Flow]) -> list[Flow]:
    """Returns statements that every round runs once, also those in its `with` blocks."""
    found: list[Flow] = []
    for flow in flows:
        found.append(flow)
        if isinstance(flow.statement, ast.With):
            for suite in flow.suites.values():
                found.extend(list_round_statements(suite))
    return found


def list_lifts_of_round(flow: Flow) -> list[ir.Lift]:
    """Returns the parts of a round's statements that build time makes, in order."""
    return [
        lift
        for inner in list_round_statements(flow.suites["body"])
        for lift in inner.lifts
        if lift.create.parts
    ]
