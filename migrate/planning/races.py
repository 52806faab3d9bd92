"""D168: one run trains variables and assigns to them, and nothing orders the two."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.source.nodes import walk_breadth_first

_REASON = (
    "one run makes this assignment and an optimizer's update of the same variables, in no "
    "order: TensorFlow 1 made them at once; here the update comes first"
)
_METHODS = frozenset({"assign", "assign_add", "assign_sub"})
_RECIPE = "Make them in two runs, one after the other."


def find_races(program: ir.TrainingProgram) -> Iterator[Finding]:
    """Assignments of a step's own suite whose variables its optimizer changes."""
    trained = {
        flow.statement: _list_trained(program, flow.update)
        for flow in list_every_flow(program.flows)
        if flow.update is not None
        and flow.update.kind in ("minimize", "apply_gradients")
    }
    told: set[ast.stmt] = set()
    for step in program.steps:
        changed: set[str] = set()
        for flow in step.flows:
            changed |= trained.get(flow.statement, set())
        for flow in program.flows:
            statement = flow.statement
            if (
                flow in step.flows
                and _assigns(flow)
                and flow.reads & changed
                and statement not in told
            ):
                told.add(statement)
                yield Finding(
                    statement.lineno,
                    statement.col_offset + 1,
                    "D168",
                    Outcome.WARNED,
                    "",
                    _REASON,
                    _RECIPE,
                )


def _assigns(flow: ir.Flow) -> bool:
    return flow.kind is ir.Kind.ASSIGNMENT or any(
        isinstance(node, ast.Attribute) and node.attr in _METHODS
        for node in walk_breadth_first(flow.statement)
    )


def _list_trained(program: ir.TrainingProgram, update: ir.Update) -> set[str]:
    """The names that stand for the variables which an optimizer changes."""
    if update.variables is not None:
        return names.reads(update.variables)
    return {
        name
        for flow in list_every_flow(program.flows)
        if flow.kind is ir.Kind.VARIABLE
        and "trainable" not in ast.unparse(flow.statement)
        for name in flow.binds
    }
