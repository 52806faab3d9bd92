"""What a round of a loop of the graph makes: each round's variables are kept in lists."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.program import ir
from migrate.program.ir import Flow


def list_round_statements(flows: Sequence[Flow]) -> list[Flow]:
    """Statements that every round runs once: those in its `with` blocks, too."""
    found: list[Flow] = []
    for flow in flows:
        found.append(flow)
        if isinstance(flow.statement, ast.With):
            for suite in flow.suites.values():
                found.extend(list_round_statements(suite))
    return found


def list_lifts_of_round(flow: Flow) -> list[ir.Lift]:
    """What statements of a loop's round make at build time, in order."""
    return [
        lift
        for inner in list_round_statements(flow.suites["body"])
        for lift in inner.lifts
        if lift.create.parts
    ]
