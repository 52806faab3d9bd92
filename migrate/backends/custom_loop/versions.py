"""One name, several build-time values: each gets a name of its own.

TF1 code often binds `w` anew for every layer. Build time runs before every step, so
a step function would see the last `w` only; later bindings, and what reads them, are
renamed.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterator, Sequence

from migrate.facts import names
from migrate.plan import Plan
from migrate.program.binding_time import Diagnostics, every
from migrate.program.ir import Flow, code


def _linear(flows: Sequence[Flow]) -> Iterator[Flow]:
    """Statements in order; `with` blocks are entered, branches and loops are not."""
    for flow in flows:
        if flow.suites and isinstance(flow.statement, ast.With):
            yield from _linear(flow.suites["body"])
        else:
            yield flow


def _simple_targets(flow: Flow) -> list[ast.Name]:
    bound = names.binds(flow.statement)  # Without a comprehension's own names.
    return [
        node
        for node in names.walk_scope(flow.statement)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.id in bound
    ]


def separate(
    flows: Sequence[Flow],
    plan: Plan,
    diagnostics: Diagnostics,
    taken: set[str],
    gone: frozenset[ast.stmt] = frozenset(),
) -> None:
    """Plans the renaming for one region or staged function.

    Args:
      taken: names in use in the module.
      gone: statements of which nothing is left, so that they bind nothing.
    """
    counts: collections.Counter[str] = collections.Counter()
    for flow in _linear(flows):
        if flow.build and not (flow.suites or flow.lifts or flow.statement in gone):
            counts.update(node.id for node in _simple_targets(flow))
    stepped: set[str] = set()
    for flow in every(flows):
        if flow.step or flow.lifts or isinstance(flow.statement, ast.Return):
            stepped |= flow.reads
    several = {name for name, count in counts.items() if count > 1 and name in stepped}
    if not several:
        return
    current: dict[str, str] = {}
    for flow in _linear(flows):
        if flow.suites:
            inside = {
                node.id
                for f in every([flow])[1:]
                if f.build and not f.lifts
                for node in _simple_targets(f)
            }
            if inside & several:
                diagnostics.refuse(
                    "N113",
                    flow.statement,
                    f"`{sorted(inside & several)[0]}` stands for different variables "
                    "in a branch and outside it",
                    "Give the variables different names.",
                )
        for node in ast.walk(flow.statement):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and current.get(node.id, node.id) != node.id
            ):
                plan.replace(node, code(current[node.id]))
        if flow.build and not (flow.suites or flow.lifts or flow.statement in gone):
            for node in _simple_targets(flow):
                if node.id not in several:
                    continue
                if node.id not in current:
                    current[node.id] = node.id
                    continue
                number = 2
                while f"{node.id}_{number}" in taken:
                    number += 1
                current[node.id] = f"{node.id}_{number}"
                taken.add(current[node.id])
                plan.replace(node, code(current[node.id]))
