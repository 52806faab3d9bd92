"""Backward slices: which statements of the graph a set of fetches needs."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Collection, Sequence

from migrate.facts import names
from migrate.program.binding_time import list_every_flow
from migrate.program.ir import COLLECTED, Flow, Kind
from migrate.program.rounds import find_objects_in_turn
from migrate.source.nodes import walk_breadth_first


@dataclasses.dataclass(frozen=True)
class Slice:
    """The flows a step function consists of, and the roots it reads.

    `flows` are identities; compound statements are in it if anything inside is.
    """

    flows: frozenset[Flow]
    needed: frozenset[str]
    trains: bool


class Slicer:
    """Slices one region; `is_merge` tells a statement that merges all summaries."""

    def __init__(
        self, flows: Sequence[Flow], is_merge: Callable[[ast.AST], bool]
    ) -> None:
        self._flows = flows
        self._is_merge = is_merge
        self._several = find_rebound_names(flows)
        self._in_turn = find_objects_in_turn(flows)
        self._taken = {n for one in self._in_turn.values() for n in one.names}

    def slice_flows(
        self,
        wanted: set[str],
        summaries: bool,
        apart: frozenset[Flow] = frozenset(),
        given: frozenset[str] = frozenset(),
    ) -> Slice:
        """The statements that some names need.

        Args:
          apart: statements whose part in collections is not asked for.
          given: names that are fed, so that what computes them is not needed.
        """
        state = _State(set(wanted), summaries, apart, given)
        self._walk_backward(self._flows, state)
        included = frozenset(state.included)
        trains = any(
            f.update is not None and f.update.kind in ("minimize", "apply_gradients")
            for f in included
        )
        return Slice(included, frozenset(state.needed | state.fed), trains)

    def _walk_backward(self, flows: Sequence[Flow], state: _State) -> bool:
        """Walks statements last to first; whether any was included."""
        any_included = False
        for flow in reversed(flows):
            if flow.suites:
                included = self._walk_suites(flow, state)
                if included:
                    state.included.add(flow)
                    state.needed |= names.find_header_reads(flow.statement)
                    if flow.updates:
                        state.needed.add(COLLECTED)
                    any_included = True
                continue
            if flow.kind is Kind.PLACEHOLDER:
                # A fed value begins here. An earlier value of the same name is another value.
                fed = flow.binds & state.needed
                state.fed |= fed
                state.needed -= fed
            if flow in self._in_turn and not flow.lifts:
                taken = state.needed & set(self._in_turn[flow].names)
                if taken:  # The step takes what build time made.
                    state.included.add(flow)
                    state.needed -= taken
                    any_included = True
                continue
            if self._wants(flow, state):
                state.included.add(flow)
                any_included = True
                if isinstance(flow.statement, ast.Assign):
                    state.needed -= names.find_binds(flow.statement)
                state.needed |= flow.reads
                if self._is_merge(flow.statement):
                    state.summaries = True
        return any_included

    def _walk_suites(self, flow: Flow, state: _State) -> bool:
        """A compound statement's suites; whether anything in them was included."""
        if isinstance(flow.statement, ast.With):
            return self._walk_backward(flow.suites["body"], state)
        # Each branch may or may not run: what one of them binds, the statements
        # before may still have to give, and each starts from the same needs.
        after = set(state.needed)
        needed = set(after)
        included = False
        loops = isinstance(flow.statement, (ast.For, ast.While))
        while True:  # A loop's later rounds feed its earlier statements.
            before = len(needed), len(state.included)
            for suite in flow.suites.values():
                state.needed = set(needed if loops else after)
                included |= self._walk_backward(suite, state)
                needed |= state.needed
            if included and loops:
                needed |= names.find_header_reads(flow.statement)
                for jump in list_jumps(flow.suites["body"]):
                    state.included.add(jump)
                    if jump.suites:
                        needed |= names.find_header_reads(jump.statement)
            if not loops or before == (len(needed), len(state.included)):
                break
        state.needed = needed
        return included

    def _wants(self, flow: Flow, state: _State) -> bool:
        if flow.host and flow.kind is Kind.HOST:
            # Plain Python whose name changes on the way is computed in the step too.
            return bool(flow.binds & state.needed & (self._several | self._taken))
        if not (flow.step or flow.pure or flow.lifts):
            return False
        binds = flow.binds - {COLLECTED} if flow in state.apart else flow.binds
        binds = binds - state.given
        if binds & state.needed:
            return True
        return state.summaries and flow.kind is Kind.SUMMARY


def find_rebound_names(flows: Sequence[Flow]) -> set[str]:
    """Names of plain Python values bound more than once, in a loop, or filled in a step."""
    seen: set[str] = set()
    found: set[str] = set()
    rebound: set[str] = set()  # By a step: `loss = 0`, then `loss += ...`.
    literal: set[str] = set()
    filled: set[str] = set()  # A list or dict that step-time values are put into.

    def visit_flows(inner: Sequence[Flow], loop: bool) -> None:
        for flow in inner:
            for suite in flow.suites.values():
                visit_flows(
                    suite, loop or isinstance(flow.statement, (ast.For, ast.While))
                )
            if isinstance(flow.statement, (ast.Import, ast.ImportFrom)):
                continue  # A module is the same however often it is imported.
            if flow.host and not flow.suites and flow.kind is Kind.HOST:
                if _is_literal(flow.statement):
                    literal.update(flow.binds)
                found.update(flow.binds if loop else flow.binds & seen)
                seen.update(flow.binds)
            elif flow.step or flow.pure:
                filled.update(names.find_mutations(flow.statement) & flow.binds)
                if not flow.suites:
                    rebound.update(names.find_binds(flow.statement))

    visit_flows(flows, False)
    return _add_closures(flows, found | filled & seen | rebound & literal)


def _add_closures(flows: Sequence[Flow], rebound: set[str]) -> set[str]:
    """The names, and those of functions that read one: they find its value when called."""
    found = set(rebound)
    size = 0
    while size != len(found):
        size = len(found)
        for flow in list_every_flow(flows):
            statement = flow.statement
            if not flow.host or flow.suites:
                continue
            if isinstance(statement, ast.FunctionDef):
                if names.find_free_names(statement) & found:
                    found.add(statement.name)
            elif isinstance(statement, ast.Assign) and any(
                isinstance(node, ast.Lambda) and names.find_reads(node) & found
                for node in walk_breadth_first(statement.value)
            ):
                found |= flow.binds
    return found


def _is_literal(statement: ast.stmt) -> bool:
    try:
        ast.literal_eval(getattr(statement, "value", None) or ast.Name("no"))
    except (ValueError, TypeError):
        return False
    return True


@dataclasses.dataclass
class _State:
    needed: set[str]
    summaries: bool
    apart: frozenset[Flow] = frozenset()
    given: frozenset[str] = frozenset()
    included: set[Flow] = dataclasses.field(default_factory=set)
    fed: set[str] = dataclasses.field(default_factory=set)


def list_jumps(suite: Sequence[Flow]) -> list[Flow]:
    """`continue` and `break` of a loop with this body, and the blocks they stand in."""
    found: list[Flow] = []
    for flow in suite:
        if isinstance(flow.statement, (ast.Continue, ast.Break)):
            found.append(flow)
        elif flow.suites and not isinstance(flow.statement, (ast.For, ast.While)):
            inside = [jump for s in flow.suites.values() for jump in list_jumps(s)]
            found += [flow, *inside] if inside else []
    return found


def build_closure(flows: Sequence[Flow], followed: Collection[Flow] = ()) -> set[Flow]:
    """Pure statements that build-time ones compute with, to be kept at build time.

    Args:
      flows: the region's statements.
      followed: statements that build time follows, because their shapes make variables.
    """
    needed: set[str] = set()
    wanted: set[Flow] = set()

    def visit_flows(inner: Sequence[Flow]) -> None:
        for flow in reversed(inner):
            if not flow.suites:
                read_flow(flow)
                continue
            size = -1
            while size != len(
                needed
            ):  # A loop's later rounds read what this one gives.
                size = len(needed)
                for suite in reversed(flow.suites.values()):
                    visit_flows(suite)
                if not isinstance(flow.statement, (ast.For, ast.While)):
                    break
            plain = [f for f in list_every_flow([flow])[1:] if f.host and not f.suites]
            if (
                flow.build
                or any(f.binds & needed for f in plain)
                or any(f in followed for f in list_every_flow([flow]))
            ):
                needed.update(names.find_header_reads(flow.statement))

    def read_flow(flow: Flow) -> None:
        if flow.lifts:
            for lift in flow.lifts:
                for node in lift.create.walk_nodes():
                    needed.update(names.find_reads(node))
        if flow.lifts and flow not in followed:
            return
        if flow.build or flow.kind is Kind.DATASET:
            needed.update(flow.reads)
        elif flow in followed:
            needed.update(flow.reads)
        elif flow.host and flow.binds & needed:
            needed.update(flow.reads)  # A function that a dataset maps.
        elif flow.pure and flow.binds & needed:
            wanted.add(flow)
            needed.update(flow.reads)

    visit_flows(flows)
    return wanted
