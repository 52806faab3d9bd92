"""Writes Scaffolds without what is done anyway, and refuses what nothing would do."""

from __future__ import annotations

import ast

from migrate.backends.keras.layout import write_call as laid_out
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends.estimators.scaffolds import (
    find_scaffolds,
    find_unneeded_assignments,
)
from migrate.plan import Dropped, Plan
from migrate.source.nodes import walk_breadth_first
from migrate.tables import scaffolds as table
from migrate.tables.estimator import MODULE

_GONE = ("S115", "dropped: the model does this when it is made")


def plan_scaffolds(
    scopes: Scopes, plan: Plan, claimed: dict[ast.AST, tuple[str, str]]
) -> list[Finding]:
    """Plans every Scaffold of a file.

    Args:
      claimed: gets what is left out.

    Returns:
      Refusals.
    """
    refused = []
    every = find_scaffolds(scopes)
    for one in every:
        if one.refused is not None:
            node, name = one.refused
            refused.append(
                Finding(
                    getattr(node, "lineno", one.call.lineno),
                    getattr(node, "col_offset", 0) + 1,
                    "N120",
                    Outcome.REFUSED,
                    table.SCAFFOLD,
                    f"the Scaffold has {name}, which TensorFlow 1 ran in the session",
                    "Give variables their initial values where you make them, or "
                    "in init_fn. Give summaries that you choose to a "
                    "SummarySaverHook.",
                )
            )
            continue
        if not one.dropped:
            continue
        if one.call.func not in claimed:  # Else of a Keras model that has none of it.
            kept = list(one.kept.items())
            made = laid_out(f"{MODULE}.Scaffold", kept, one.call.col_offset)
            plan.replace(one.call, made)
            claimed[one.call.func] = ("E101", f"now {MODULE}.Scaffold")
        for value in one.dropped:
            for node in walk_breadth_first(value):
                claimed.setdefault(node, _GONE)
    for statement in find_unneeded_assignments(every, scopes):
        plan.statements.setdefault(statement, [Dropped(statement)])
        for node in walk_breadth_first(statement):
            claimed.setdefault(node, _GONE)
    return refused
