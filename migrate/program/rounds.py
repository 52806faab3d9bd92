"""Finds objects that a loop of the graph makes, so that its steps get the same ones.

A round that makes each object once is the simple case: the step walks the lists of them
beside what the loop walks. If a round may make none or several of one name, because of a
block in it, of a jump, or of a second statement, the step takes the objects in turn: it runs
the same Python code, so it asks for them in the order in which they were made.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
from collections.abc import Sequence

from migrate.facts import names
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.program.ir import Flow
from migrate.source.nodes import JUMPS, walk_breadth_first


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


def find_reads_of_steps(loop: Flow) -> set[str]:
    """Returns the names that the step's part of a loop reads."""
    read: set[str] = set()
    for inner in list_every_flow([loop])[1:]:
        if (inner.step and not inner.suites) or inner.lifts:
            read |= inner.reads
        elif inner.step:
            read |= names.find_header_reads(inner.statement)
    return read


@dataclasses.dataclass(frozen=True, eq=False)
class InTurn:
    """What a statement of a loop makes, and the steps take in turn.

    Attributes:
      loop: the outermost loop around the statement.
      names: of the objects.
    """

    loop: Flow
    names: tuple[str, ...]


def find_objects_in_turn(flows: Sequence[Flow]) -> dict[Flow, InTurn]:
    """Returns the statements that make objects which steps take in turn."""
    found: dict[Flow, InTurn] = {}
    for flow in flows:
        if isinstance(flow.statement, (ast.For, ast.While)):
            found.update(_find_objects_of_loop(flow))
        else:
            for suite in flow.suites.values():
                found.update(find_objects_in_turn(suite))
    return found


def _find_objects_of_loop(loop: Flow) -> dict[Flow, InTurn]:
    read = find_reads_of_steps(loop)
    made: dict[Flow, InTurn] = {}
    for inner in list_every_flow([loop])[1:]:
        if inner.lifts:
            objects = tuple(x.name for x in inner.lifts if x.create.parts)
        elif inner.build and not inner.suites:
            objects = tuple(sorted(inner.binds & read))
        else:
            continue
        if objects:
            made[inner] = InTurn(loop, objects)
    once = set(list_round_statements(loop.suites["body"]))
    jumps = any(isinstance(n, JUMPS) for n in walk_breadth_first(loop.statement))
    counts = collections.Counter(name for one in made.values() for name in one.names)
    again = any(count > 1 for count in counts.values())
    carried = any(_is_carried(loop, flow, one.names) for flow, one in made.items())
    simple = made.keys() <= once and not (jumps or again or carried)
    return {} if simple and isinstance(loop.statement, ast.For) else made


def _is_carried(loop: Flow, made: Flow, objects: Sequence[str]) -> bool:
    """Whether a round may read what an earlier round has made, before it makes its own."""
    return not made.lifts and any(
        flow.step
        and flow.statement.lineno < made.statement.lineno
        and set(objects)
        & (names.find_header_reads(flow.statement) if flow.suites else flow.reads)
        for flow in list_every_flow([loop])[1:]
    )
