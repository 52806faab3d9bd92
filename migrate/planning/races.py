"""N191: one run changes variables, or an optimizer's own state, twice in no order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.source.nodes import walk_breadth_first

_REASON = (
    "one run makes this assignment and an optimizer's update of the same "
    "variables, and nothing orders the two. TensorFlow 1 ran them at the same "
    "time. The migrated program makes the update first"
)
_OF_ONE = (
    "one run makes two updates by this optimizer, and nothing orders them. Each "
    "update changes the powers in the optimizer's rate. TensorFlow 1 ran them at "
    "the same time. In the migrated program the second update uses the powers "
    "after the first"
)
_RECIPE_OF_ONE = "Join the two lists of gradients, and apply them in one call."
_METHODS = frozenset({"assign", "assign_add", "assign_sub"})
# Those that have the powers of their rates in variables, which each update advances.
_COUNTS_UPDATES = frozenset(
    {"tf.train.AdamOptimizer", "tf.contrib.opt.LazyAdamOptimizer"}
)
_UPDATES = frozenset({"minimize", "apply_gradients"})
_RECIPE = "Run the two one after the other, in two run calls."


def find_races(program: ir.TrainingProgram, scopes: Scopes) -> Iterator[Finding]:
    """Finds variables that one run changes twice, in no defined order."""
    yield from _find_assigned_races(program, scopes)
    yield from _find_updates_of_one(program, scopes)


def _find_updates_of_one(
    program: ir.TrainingProgram, scopes: Scopes
) -> Iterator[Finding]:
    """Second updates of a run by one optimizer that counts its updates."""
    counting = {
        name
        for flow in list_every_flow(program.flows)
        for node in walk_breadth_first(flow.statement)
        if isinstance(node, ast.Call) and scopes.resolve(node.func) in _COUNTS_UPDATES
        for name in flow.binds
    }
    told: set[ast.stmt] = set()
    for step in program.steps:
        made: set[str] = set()
        for flow in program.flows:
            if (
                flow not in step.flows
                or flow.update is None
                or flow.update.kind not in _UPDATES
            ):
                continue
            named = {
                names.find_key(node) or ""
                for node in flow.update.optimizer.walk_nodes()
            }
            statement = flow.statement
            if named & made & counting and statement not in told:
                told.add(statement)
                yield Finding(
                    statement.lineno,
                    statement.col_offset + 1,
                    "N191",
                    Outcome.WARNED,
                    "",
                    _OF_ONE,
                    _RECIPE_OF_ONE,
                )
            made |= named


def _find_assigned_races(
    program: ir.TrainingProgram, scopes: Scopes
) -> Iterator[Finding]:
    """Assignments of a step's own suite whose variables its optimizer changes."""
    trained = {
        flow.statement: _list_trained(program, flow.update)
        for flow in list_every_flow(program.flows)
        if flow.update is not None and flow.update.kind in _UPDATES
    }
    first = _list_awaited(scopes, set(trained))
    told: set[ast.stmt] = set()
    for step in program.steps:
        changed: set[str] = set()
        for flow in step.flows:
            changed |= trained.get(flow.statement, set())
        for flow in program.flows:
            statement = flow.statement
            if (
                flow in step.flows
                and not flow.suites  # A block may make the update beside another run's.
                and _assigns(flow)
                and flow.reads & changed
                and not flow.binds & first
                and statement not in told
            ):
                told.add(statement)
                yield Finding(
                    statement.lineno,
                    statement.col_offset + 1,
                    "N191",
                    Outcome.WARNED,
                    "",
                    _REASON,
                    _RECIPE,
                )


def _list_awaited(scopes: Scopes, updates: set[ast.stmt]) -> set[str]:
    """The names of what updates wait for, in a block of `tf.control_dependencies`."""
    return {
        name
        for update in updates
        if isinstance(block := scopes.parents.get(update), ast.With)
        for item in block.items
        if isinstance(item.context_expr, ast.Call)
        and scopes.resolve(item.context_expr.func) == "tf.control_dependencies"
        for name in names.find_reads(item.context_expr)
    }


def _assigns(flow: ir.Flow) -> bool:
    return flow.kind is ir.Kind.ASSIGNMENT or any(
        isinstance(node, ast.Attribute) and node.attr in _METHODS
        for node in walk_breadth_first(flow.statement)
    )


def _list_trained(program: ir.TrainingProgram, update: ir.Update) -> set[str]:
    """The names that stand for the variables which an optimizer changes."""
    if update.variables is not None:
        return names.find_reads(update.variables)
    return {
        name
        for flow in list_every_flow(program.flows)
        if flow.kind is ir.Kind.VARIABLE
        and "trainable" not in ast.unparse(flow.statement)
        for name in flow.binds
    }
