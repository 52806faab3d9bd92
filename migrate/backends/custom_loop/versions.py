"""Renames later bindings of a name that has several build-time values.

TF1 code often binds `w` again for every layer. Build-time code runs before every step, so a
step function would see only the last `w`. So later bindings get a new name, and so do the
places that read them.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
from collections.abc import Iterator, Sequence

from migrate.facts import names
from migrate.plan import Plan
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.code import make_code
from migrate.program.ir import Flow
from migrate.program.rounds import find_objects_in_turn, list_round_statements
from migrate.source.nodes import walk_breadth_first


def _walk_in_order(flows: Sequence[Flow]) -> Iterator[Flow]:
    """Walks statements in order. Enters `with` blocks, but not branches and loops."""
    for flow in flows:
        if flow.suites and isinstance(flow.statement, ast.With):
            yield from _walk_in_order(flow.suites["body"])
        else:
            yield flow


def _list_simple_targets(flow: Flow) -> list[ast.Name]:
    bound = names.find_binds(
        flow.statement
    )  # Without the names that a comprehension binds.
    return [
        node
        for node in names.walk_scope(flow.statement)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.id in bound
    ]


@dataclasses.dataclass(frozen=True)
class _Place:
    """The place of a statement: the suites around it, the outermost first."""

    suites: tuple[tuple[ast.stmt, str], ...]

    def excludes(self, other: _Place) -> bool:
        """Whether only one of two places runs, as an `if` and its `else`."""
        mine: dict[ast.stmt, str] = {
            s: name for s, name in self.suites if isinstance(s, ast.If)
        }
        return any(mine.get(s, name) != name for s, name in other.suites)

    def shares_loop(self, other: _Place) -> bool:
        """Whether both places are in one loop, whose variables become lists."""
        loops = {s for s, _ in self.suites if isinstance(s, (ast.For, ast.While))}
        return any(s in loops for s, _ in other.suites)


def _walk_with_places(
    flows: Sequence[Flow], around: tuple[tuple[ast.stmt, str], ...] = ()
) -> Iterator[tuple[Flow, _Place]]:
    """Every simple statement in order, with its place."""
    for flow in flows:
        if not flow.suites:
            yield flow, _Place(around)
        for name, suite in flow.suites.items():
            yield from _walk_with_places(suite, (*around, (flow.statement, name)))


def _find_rebound_names(
    flows: Sequence[Flow], gone: frozenset[ast.stmt]
) -> Iterator[tuple[ast.stmt, str]]:
    """Finds names that a branch or loop binds after a step read them with another value.

    All build-time code runs before the first step, so the step would see the last value.
    """
    bound: dict[str, list[_Place]] = {}
    read: dict[str, list[_Place]] = {}
    for flow, place in _walk_with_places(flows):
        if flow.step or flow.lifts or isinstance(flow.statement, ast.Return):
            for name in flow.reads & set(bound):
                if not bound[name][-1].shares_loop(place):
                    read.setdefault(name, []).append(place)
        if not flow.build or flow.lifts or flow.statement in gone:
            continue
        for node in _list_simple_targets(flow):
            branches = [s for s, _ in place.suites if not isinstance(s, ast.With)]
            if branches and any(
                not earlier.excludes(place) for earlier in read.get(node.id, ())
            ):
                yield flow.statement, node.id
            bound.setdefault(node.id, []).append(place)


def _find_round_names(flow: Flow) -> set[str]:
    """Names that only the rounds of a loop bind, and that each round binds before it reads them."""
    in_turn = find_objects_in_turn([flow])
    if in_turn:  # The step binds each name where build time did.
        return {n for f, one in in_turn.items() if not f.lifts for n in one.names}
    if not isinstance(flow.statement, ast.For):
        return set()
    made: set[str] = set()
    seen: set[str] = set()
    round_ = list_round_statements(flow.suites["body"])
    for inner in list_every_flow(flow.suites["body"]):
        if inner.suites:
            continue
        if inner.build and not inner.lifts:
            bound = {node.id for node in _list_simple_targets(inner)}
            if inner not in round_:
                seen |= bound
            made |= bound - seen
        seen |= inner.reads | inner.binds
    return made - names.find_binds(flow.statement.target)


def separate_names(
    flows: Sequence[Flow],
    plan: Plan,
    diagnostics: Diagnostics,
    taken: set[str],
    gone: frozenset[ast.stmt] = frozenset(),
) -> None:
    """Plans the renaming for one region or staged function.

    Args:
      taken: names in use in the module.
      gone: statements that the plan removes, so that they bind nothing.
    """
    counts: collections.Counter[str] = collections.Counter()
    for flow in _walk_in_order(flows):
        if flow.build and not (flow.suites or flow.lifts or flow.statement in gone):
            counts.update(node.id for node in _list_simple_targets(flow))
    stepped: set[str] = set()
    for flow in list_every_flow(flows):
        if flow.step or flow.lifts or isinstance(flow.statement, ast.Return):
            stepped |= flow.reads
    for statement, name in _find_rebound_names(flows, gone):
        diagnostics.refuse(
            "N111",
            statement,
            f"`{name}` is one variable in a branch and another one before it",
            "Give the variables different names.",
        )
    # The step reads a round's variables from lists, under their old name.
    of_loops = set().union(*[_find_round_names(flow) for flow in _walk_in_order(flows)])
    several = {
        name
        for name, count in counts.items()
        if (count > 1 or name in of_loops) and name in stepped
    }
    if not several:
        return
    current: dict[str, str] = {}
    kept: set[str] = set()  # Names that are bound outside of loops, and stay.
    for flow in _walk_in_order(flows):
        inside = {
            node.id
            for f in list_every_flow([flow])[1:]
            if f.build and not f.lifts
            for node in _list_simple_targets(f)
        }
        again = inside & several
        rounds = _find_round_names(flow)
        if again <= rounds and not again & kept:
            current.update({name: name for name in again})
        elif flow.suites and again:
            diagnostics.refuse(
                "N111",
                flow.statement,
                f"`{sorted(again)[0]}` is one variable in a branch and another one "
                "outside of it",
                "Give the variables different names.",
            )
        for node in walk_breadth_first(flow.statement):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and current.get(node.id, node.id) != node.id
            ):
                plan.replace(node, make_code(current[node.id]))
        if flow.build and not (flow.suites or flow.lifts or flow.statement in gone):
            for node in _list_simple_targets(flow):
                if node.id not in several:
                    continue
                if node.id not in current:
                    current[node.id] = node.id
                    kept.add(node.id)
                    continue
                number = 2
                while f"{node.id}_{number}" in taken:
                    number += 1
                current[node.id] = f"{node.id}_{number}"
                taken.add(current[node.id])
                plan.replace(node, make_code(current[node.id]))
