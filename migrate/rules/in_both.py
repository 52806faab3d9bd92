"""Names that mean the same before and after, in files that are left whole.

A file of a graph program that cannot be rewritten stays a TF1 file. What reads the same
in TensorFlow 1 and 2 is written so all the same: the file runs where it ran, and nothing
of it stands in the way where it is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.plan import Plan
from migrate.program.code import make_code
from migrate.tables import modes

_PART = "N100"  # Of what was refused for another reason's sake.


def plan_for_both_versions(
    scopes: Scopes, findings: Sequence[Finding]
) -> tuple[Plan, list[Finding]]:
    """The plan for a file that is left whole, empty where nothing is to be done."""
    plan = Plan(whole=True)
    parts = {(f.line, f.column) for f in findings if f.code == _PART}
    done: dict[tuple[int, int], Finding] = {}
    for node, symbol in scopes.walk_uses():
        at = (node.lineno, node.col_offset + 1)
        spelled = isinstance(node, ast.Attribute) and node.attr == symbol.split(".")[-1]
        if symbol in modes.MODES and spelled and at in parts:
            value = modes.MODES[symbol]
            plan.replace(node, make_code(value))
            done[at] = Finding(
                *at,
                "E101",
                Outcome.REWRITTEN,
                symbol,
                f"the string {value}, in TensorFlow 1 too",
            )
    return plan, [
        done[f.line, f.column] if f.code == _PART and (f.line, f.column) in done else f
        for f in findings
    ]
