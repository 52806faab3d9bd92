"""Refuses plain values that only the steps would compute, and that other code reads.

A block that asks what only a step has, as `for g, v in gradients:`, is only in the steps.
TF1 ran it once, where it built the graph. A counter in it was a plain Python value.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.program.tensor_bindings import asks_tensors
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.worker_state import MUTATORS

_PLAIN = (Kind.HOST, Kind.PURE)
# What a file is given is its own effect, about which a gate says more.
_PUTS = frozenset(MUTATORS) - {"write"}


def is_of_steps(program: ir.TrainingProgram, flow: Flow) -> bool:
    """Whether a loop or branch uses values that only a step has."""
    loop_or_branch = isinstance(flow.statement, (ast.For, ast.If, ast.While))
    return loop_or_branch and asks_tensors(flow, program.kinds, program.static_reads)


def refuse_lost_values(
    program: ir.TrainingProgram, scopes: Scopes, diagnostics: Diagnostics
) -> None:
    """Refuses values that only a step can compute, and that code outside of it reads."""
    work = list(program.flows)
    while work:
        flow = work.pop()
        if not flow.asks or flow.build:
            work += [f for suite in flow.suites.values() for f in suite]
        else:
            refuse_lost_value(program, scopes, diagnostics, flow)


def refuse_lost_value(
    program: ir.TrainingProgram,
    scopes: Scopes,
    diagnostics: Diagnostics,
    flow: Flow,
) -> None:
    """Refuses a block or a value of the steps alone that a statement outside reads."""
    lost = find_lost_value(program, scopes, flow)
    if lost is None:
        return
    name, reader = lost
    outside = f"and line {reader.lineno}, outside of the step, reads it"
    if not flow.suites:
        diagnostics.refuse(
            "S112",
            flow.statement,
            f"`{name}` is computed from values that only a step has, {outside}",
            "Compute it before the step, from values that Python knows.",
        )
    elif _goes_through_variables(scopes, flow.statement):
        diagnostics.refuse(
            "N105",
            flow.statement,
            f"`{name}` gets its value from a list of variables, {outside}. Layers "
            "make their variables in the first step",
            "Move the block into the session's block, or behind it.",
        )
    else:
        diagnostics.refuse(
            "N103",
            flow.statement,
            f"a block over tensors that only a step has gives `{name}` its value, "
            f"{outside}",
            "Compute it in a block that does not use tensors.",
        )


def _goes_through_variables(scopes: Scopes, block: ast.stmt) -> bool:
    """Whether a loop is `for v in tf.trainable_variables():`, or over such a list's name."""
    if not isinstance(block, ast.For):
        return False
    iterated = [block.iter]
    for node in walk_breadth_first(block.iter):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            owner = scopes.find_scope(node).find_owner(node.id)
            bound = owner.bindings.get(node.id, []) if owner is not None else []
            iterated += [b.value for b in bound if isinstance(b, ast.Assign)]
    return any(
        scopes.resolve(node.func) in roles.TRAINABLE | roles.GLOBAL
        or any(scopes.resolve(a) in roles.LISTING_KEYS for a in node.args)
        for part in iterated
        for node in walk_breadth_first(part)
        if isinstance(node, ast.Call)
    )


def find_lost_value(
    program: ir.TrainingProgram, scopes: Scopes, block: Flow
) -> tuple[str, ast.stmt] | None:
    """Returns a plain value that a part of the steps gives, and its reader outside."""
    every = list_every_flow([block])
    inside = [f for f in every if not f.suites]
    given = {
        name
        for flow in every
        if isinstance(flow.statement, ast.For)
        for name in names.find_binds(flow.statement.target)
        if program.kinds.get(name) in _PLAIN
    }
    for flow in inside:
        # `name = v.name`, `names.append(v.name)`
        changed = names.find_mutations(flow.statement)
        if not flow.host:
            bound = flow.binds | changed
            given |= {n for n in bound if program.kinds.get(n) in _PLAIN}
        else:
            given |= flow.binds
            if _changes_container(flow.statement):
                given |= changed
    for flow in list_every_flow(program.flows):  # Computed from them in a step.
        if flow.pure and not flow.suites and flow not in inside and flow.reads & given:
            given |= flow.binds
    readers = _Readers(program, scopes, block)
    for name in sorted(given):
        reader = readers.find_reader(name)
        if reader is not None:
            return name, reader
    return None


def _changes_container(statement: ast.stmt) -> bool:
    """Whether a statement puts a value into a list, set or dict: `names.append("a")`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return True
    return isinstance(call.func, ast.Attribute) and call.func.attr in _PUTS


class _Readers:
    """The statements after a block that run outside of the steps."""

    def __init__(
        self, program: ir.TrainingProgram, scopes: Scopes, block: Flow
    ) -> None:
        self._program = program
        self._scopes = scopes
        self._block = block

    def find_reader(self, name: str) -> ast.stmt | None:
        """Returns the first statement that reads the name before it gets another value."""
        found = self._find_reader_after(self._program.flows, name)
        if isinstance(found, ast.stmt):
            return found
        if found is _GONE:
            return None
        for statement in self._program.tail:
            if name in self._find_reads(statement):
                return statement
            if isinstance(statement, ast.Assign) and name in names.find_binds(
                statement
            ):
                return None
        return None

    def _find_reader_after(
        self, flows: Sequence[Flow], name: str
    ) -> ast.stmt | object | None:
        """Returns the reader behind the block, or a mark if the name is bound anew first."""
        for place, flow in enumerate(flows):
            if flow is self._block:
                return self._walk(flows[place + 1 :], name)
            if self._block in list_every_flow([flow]):
                for suite in flow.suites.values():
                    if self._block in list_every_flow(suite):
                        found = self._find_reader_after(suite, name)
                        if found is None and isinstance(
                            flow.statement, (ast.For, ast.While)
                        ):
                            found = self._walk(suite, name)  # The next round.
                        return found or self._walk(flows[place + 1 :], name)
        return None

    def _walk(self, flows: Sequence[Flow], name: str) -> ast.stmt | object | None:
        for flow in flows:
            found = self._find_reader(flow, name)
            if found is not None:
                return found
        return None

    def _find_reader(self, flow: Flow, name: str) -> ast.stmt | object | None:
        statement = flow.statement
        if flow is self._block:
            return None
        if flow.suites:
            if is_of_steps(self._program, flow):
                return None
            if name in names.find_header_reads(statement):
                return statement
            if isinstance(statement, ast.With):
                return self._walk(flow.suites["body"], name)
            if isinstance(statement, ast.For) and name in names.find_binds(
                statement.target
            ):
                return None
            for suite in flow.suites.values():
                found = self._walk(suite, name)
                if isinstance(found, ast.stmt):
                    return found
            return None
        outside = not (flow.step or flow.pure or flow.dropped)
        if outside and name in self._find_reads(statement):
            return statement
        if any(name in names.find_reads(lift.node) for lift in flow.lifts):
            return statement
        return _GONE if name in names.find_binds(statement) else None

    def _find_reads(self, statement: ast.stmt) -> set[str]:
        """Returns the names that a statement reads, itself or in functions that it names."""
        found = names.find_reads(statement)
        for part in reach.find_reached(self._scopes, [statement]):
            if isinstance(part, ast.FunctionDef):
                found |= names.find_free_names(part)
            else:
                found |= names.find_reads(part)
        return found


_GONE = object()
