"""Tensors inside the graph that a run feeds while it trains.

    sess.run(train_critic, {states: s, action: a})    # `action` is the actor's output.

TF1's gradients went through a tensor that was fed, to the variables behind it. A step is given
the tensor, and no gradient goes further. That is equal if it trains other variables.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.frontends.sessions.iterators import Iterators
from migrate.program import ir
from migrate.program.binding_time import Analysis, Diagnostics
from migrate.program.ir import Kind
from migrate.program.slices import Slice, Slicer


class FedInside:
    """Checks what runs feed.

    Attributes:
      found: runs that train and feed a tensor behind which there are variables.
    """

    def __init__(
        self,
        diagnostics: Diagnostics,
        analysis: Analysis,
        slicer: Slicer,
        inputs: Iterators,
    ) -> None:
        self._diagnostics = diagnostics
        self._analysis = analysis
        self._slicer = slicer
        self._inputs = inputs
        self.found: list[ir.FedInside] = []

    def check(self, call: ast.Call, part: Slice, given: tuple[str, ...]) -> bool:
        """Whether fed values may replace computed tensors; else a refusal."""
        tensors = [name for name in given if name not in self._inputs.elements]
        behind = self._find_behind(tensors)
        reason = ""
        if tensors and self._analysis.graph.used:
            reason = "the run feeds a tensor, and the program has layers of contrib"
        elif behind and any(f.kind is Kind.GRADIENTS for f in part.flows):
            reason = ir.FED_INSIDE
        elif behind and (updates := [f.update for f in part.flows if f.update]):
            if any(u.gradients is not None or u.variables is None for u in updates):
                reason = ir.FED_INSIDE
            self.found.append(ir.FedInside(call, tuple(updates), behind))
        elif behind and part.trains:
            reason = ir.FED_INSIDE
        if not reason and any("." in name for name in given):
            reason = "the run feeds the tensor of an object"
        if reason:
            self._diagnostics.refuse("S107", call, reason, ir.FED_INSIDE_RECIPE)
        return not reason

    def _find_behind(self, tensors: list[str]) -> frozenset[str]:
        """The names of layers and variables that tensors are computed with."""
        kinds = self._analysis.environment
        return frozenset(
            name
            for tensor in tensors
            for flow in self._slicer.slice_flows({tensor}, False).flows
            for name in (
                *(lift.name for lift in flow.lifts),
                *(r for r in _list_reads(flow) if kinds.get(r) in ir.BUILD_KINDS),
            )
        )


def _list_reads(flow: ir.Flow) -> frozenset[str]:
    """What a statement reads; a cell's first state is made without the cell's variables."""
    value = getattr(flow.statement, "value", None)
    match value:
        case ast.Call(func=ast.Attribute(value=cell, attr="zero_state")):
            given = [*value.args, *[k.value for k in value.keywords]]
            others = frozenset().union(*map(names.find_reads, given))
            return flow.reads - (names.find_reads(cell) - others)
    return flow.reads
