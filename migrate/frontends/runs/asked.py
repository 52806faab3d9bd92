"""Finds what the program's own hooks request from a run of the session."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from migrate.frontends.sessions.iterators import Iterators
from migrate.program.binding_time import Analysis, Diagnostics
from migrate.program.ir import Flow, Kind
from migrate.program.own_hooks import Ask, OwnHooks
from migrate.program.slices import Slicer
from migrate.source.nodes import walk_breadth_first
from migrate.tables.random_symbols import draws


class Asked:
    """Decides which requests of hooks a run's step function answers."""

    def __init__(
        self,
        diagnostics: Diagnostics,
        analysis: Analysis,
        slicer: Slicer,
        inputs: Iterators,
        own: OwnHooks,
    ) -> None:
        self._diagnostics, self._analysis = diagnostics, analysis
        self._slicer, self._inputs, self._own = slicer, inputs, own

    def find_feeds(
        self, call: ast.Call, feed: Mapping[str, ast.expr]
    ) -> dict[str, ast.expr]:
        """Placeholders that hooks feed. Refuses a run that feeds one of them too."""
        found = {name for ask in self._own.asks for name in ask.feeds}
        if found & set(feed):
            self._diagnostics.refuse(
                "H122",
                call,
                "the run and a hook feed the same placeholder, which is an error "
                "in TensorFlow 1",
            )
        return {name: ast.Constant(None) for name in sorted(found)}

    def find_asks(
        self,
        call: ast.Call,
        wanted: set[str],
        summaries: bool,
        feed: frozenset[str],
        given: frozenset[str],
    ) -> list[Ask]:
        """The requests that a run answers.

        Refuses a request of only some steps, if computing it draws a batch or changes something.

        Args:
          wanted: names that the run's own fetches read.
          feed: the names that the run feeds.
          given: those of `feed` that are no placeholders.
        """
        found: list[Ask] = []
        wanted = set(wanted)
        for ask in sorted(self._own.asks, key=lambda ask: not ask.always):
            before = self._slicer.slice_flows(wanted, summaries, given=given)
            after = self._slicer.slice_flows(
                wanted | ask.reads, summaries or ask.summaries, given=given
            )
            if self._is_unfed(after.needed - before.needed, feed):
                continue  # In TF1 such a request raised an error.
            effect = next(self._find_effects(after.flows - before.flows), None)
            more = (after.needed - before.needed) & set(self._inputs.elements)
            sources = {
                self._inputs.elements[name][0]
                for name in before.needed & set(self._inputs.elements)
            }
            drawn = {n for n in more if self._inputs.elements[n][0] not in sources}
            if (effect or drawn) and not ask.always:
                what = "draws a batch" if drawn else f"does `{effect}`"
                self._diagnostics.refuse(
                    "H122",
                    call,
                    "a hook requests something in some steps only. To compute it "
                    f"{what}, and in this run nothing else needs it",
                    "Request it in every step.",
                )
                continue
            wanted |= ask.reads
            summaries = summaries or ask.summaries
            found.append(ask)
        return found

    def _is_unfed(self, needed: frozenset[str], feed: frozenset[str]) -> bool:
        placeholders = self._analysis.placeholders
        return any(
            name in placeholders
            and name not in feed
            and placeholders[name].default is None
            for name in needed
        )

    def _find_effects(self, flows: frozenset[Flow]) -> Iterator[str]:
        """Statements and calls among these flows that change something or draw random numbers."""
        for flow in flows:
            if flow.suites:
                continue
            changes = flow.update is not None and flow.update.kind in (
                "minimize",
                "apply_gradients",
            )
            if changes or flow.kind in (Kind.OPERATION, Kind.ASSIGNMENT):
                yield ast.unparse(flow.statement)
            for node in walk_breadth_first(flow.statement):
                if isinstance(node, ast.Call) and draws(
                    self._analysis.scopes.resolve(node.func) or ""
                ):
                    yield ast.unparse(node)
