"""Writes the common beginning of several step functions as one function, `forward`.

TF1 built the graph once and ran parts of it. Each part is a step function here. The
statements that all of them begin with are written once.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping, Sequence

from migrate.facts import names
from migrate.program.binding_time import list_every_flow
from migrate.program.code import make_code
from migrate.program.ir import Flow, Kind, StepFunction, is_of_graph
from migrate.source.nodes import walk_breadth_first

# Fewer statements are clearer where they are used.
_WORTH_A_FUNCTION = 3


@dataclasses.dataclass(frozen=True, eq=False)
class Forward:
    """The computation that several steps begin with.

    Attributes:
      name: of the function.
      flows: its statements.
      parameters: feeds and elements it reads.
      results: names that the steps read after it.
      steps: the steps that call it.
    """

    name: str
    flows: tuple[Flow, ...]
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    steps: tuple[StepFunction, ...]

    def make_call(self, later: set[str]) -> Flow:
        """Returns the call as a statement of a step that reads the names `later`."""
        targets = [name if name in later else "_" for name in self.results]
        text = f"{', '.join(targets)} = {self.name}({', '.join(self.parameters)})"
        return Flow(
            ast.Pass(),
            Kind.TENSOR,
            frozenset(self.parameters),
            frozenset(self.results) & later,
            step=True,
            step_code=make_code(text),
        )


def find_shared_forward(
    steps: Sequence[StepFunction],
    bodies: Mapping[StepFunction, Sequence[Flow]],
    inputs: Sequence[str],
    name: str,
) -> Forward | None:
    """Returns the longest common beginning of at least two steps, if it is worth a function.

    Args:
      bodies: each step's statements in order.
      inputs: names of feeds and dataset elements, in order.
    """
    best: tuple[int, list[StepFunction]] = (0, [])
    for step in steps:
        alike = [
            (other, _count_common_statements(step, other, bodies))
            for other in steps
            if other is not step
        ]
        near = [(o, n) for o, n in alike if _is_worth_sharing(bodies[step][:n])]
        if near and min(n for _, n in near) > best[0]:
            best = (min(n for _, n in near), [step, *[o for o, _ in near]])
    length, group = best
    if not group:
        return None
    flows = tuple(bodies[group[0]][:length])
    # Steps may need only a part of a block.
    left_out = _list_left_out(flows, group[0])
    bound = set().union(*[f.binds for f in flows]) - left_out
    read = set().union(*[_list_reads(f, group[0]) for f in flows])
    if any("." in n for n in bound):
        return None  # Calls do not pass on attributes of an object.
    later: set[str] = set()
    for step in group:
        later |= read_after(step, bodies[step][length:])
    # A placeholder within a block is bound there, and a parameter of the step.
    graph = {n for n in later if is_of_graph(n)}
    given = later - set(inputs) - left_out - graph
    results = [n for f in flows for n in _list_bound_names(f) if n in given]
    if not results or any("." in n for n in inputs if n in read):
        return None
    return Forward(
        name,
        flows,
        tuple(n for n in inputs if n in read),
        tuple(dict.fromkeys(results)),
        tuple(s for s in steps if s in group),
    )


def read_after(step: StepFunction, rest: Sequence[Flow]) -> set[str]:
    """Names that a step reads after its forward pass."""
    found = _list_free_reads(rest, set(step.flows))
    for fetch in step.fetches:
        for node in fetch.walk_nodes():
            found |= names.find_reads(node)
    for value in step.observed.values():
        found |= names.find_reads(value)
    for flow in rest:
        if flow.update is not None and flow.update.loss is not None:
            found |= names.find_reads(flow.update.loss)
    return found


def _list_free_reads(flows: Sequence[Flow], needed: set[Flow]) -> set[str]:
    """Names that statements read before one of them binds them."""
    found: set[str] = set()
    bound: set[str] = set()
    for flow in flows:
        if isinstance(flow.statement, ast.With) and flow.suites:
            inner = [f for f in flow.suites["body"] if f in needed]
            header = names.find_header_reads(flow.statement)
            found |= (header | _list_free_reads(inner, needed)) - bound
            bound = bound.union(*[f.binds for f in inner if not f.suites])
            continue
        found |= flow.reads - bound
        if not flow.suites:
            bound |= flow.binds
    return found


def _count_common_statements(
    one: StepFunction,
    other: StepFunction,
    bodies: Mapping[StepFunction, Sequence[Flow]],
) -> int:
    """Counts the equal statements at the beginning of two steps."""
    ours, theirs = set(one.flows), set(other.flows)
    length = 0
    for left, right in zip(bodies[one], bodies[other]):
        inside = list_every_flow([left])
        if left is not right or any(
            f.update is not None or f.kind in (Kind.OPERATION, Kind.ASSIGNMENT)
            for f in inside
        ):
            break
        if any((f in ours) != (f in theirs) for f in inside) or _gathers(left):
            break
        length += 1
    return length


def _gathers(flow: Flow) -> bool:
    """Whether a statement asks for the values of all towers, `replicas.towers(loss)`.

    A step computes with them after its towers have ended.
    """
    return any(
        isinstance(node, ast.Call) and names.find_key(node.func) == "replicas.towers"
        for node in walk_breadth_first(flow.statement)
    )


def _is_worth_sharing(flows: Sequence[Flow]) -> bool:
    return sum(not f.suites for f in list_every_flow(flows)) >= _WORTH_A_FUNCTION


def _list_left_out(flows: Sequence[Flow], step: StepFunction) -> set[str]:
    """Returns names that only those statements of blocks bind that a step does not need."""
    every = [f for f in list_every_flow(flows) if f.step and not f.suites]
    needed = set(step.flows)
    gone = set().union(*[f.binds for f in every if f not in needed])
    return gone - set().union(*[f.binds for f in every if f in needed])


def _list_reads(flow: Flow, step: StepFunction) -> set[str]:
    """Returns the names that a statement reads; of a block, those that the step needs."""
    if not flow.suites:
        return set(flow.reads)
    inner = [f for suite in flow.suites.values() for f in suite if f in step.flows]
    return names.find_header_reads(flow.statement).union(
        *[_list_reads(f, step) for f in inner]
    )


def _list_bound_names(flow: Flow) -> list[str]:
    statement = flow.statement
    if isinstance(statement, ast.Assign):
        return [
            key
            for target in statement.targets
            for node in walk_breadth_first(target)
            if (key := names.find_key(node)) in flow.binds and key is not None
        ]
    # A feed or an element that a block declares is the step's parameter, not a result; a
    # variable is made where the graph is built.
    inner = [f for f in list_every_flow([flow]) if not f.suites]
    made = [f.binds for f in inner if f.step and not f.dropped]
    others = [f.binds for f in inner if f.dropped or not f.step]
    given = set().union(*others) - set().union(*made)
    return sorted(n for n in flow.binds - given if not is_of_graph(n))
