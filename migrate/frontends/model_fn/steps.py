"""Plans the model's steps: what each mode computes from the network's outputs."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import checks
from migrate.frontends.model_fn.modes import ModeValues
from migrate.frontends.model_fn.slices import Slices
from migrate.program.keras_model import Hooks, Metric
from migrate.program.keras_units import Unit
from migrate.program.keras_updates import Update


@dataclasses.dataclass(frozen=True)
class PlannedStep:
    """The statements of one mode that follow the network.

    Attributes:
      results: what it returns, or counts.
    """

    units: list[Unit]
    results: list[ast.expr]


class Steps:
    """The steps of a model.

    Args:
      specs: what each mode gives its EstimatorSpec.
      after: what each mode runs after the network.
      training: what of that a training step runs, but for its gradients.
      gone: statements that only list metrics.
    """

    def __init__(
        self,
        specs: dict[str, dict[str, ast.expr]],
        slices: Slices,
        after: dict[str, list[Unit]],
        training: list[Unit],
        update: Update,
        gone: list[Unit],
    ) -> None:
        self._specs, self._slices, self._after = specs, slices, after
        self._training, self._update, self._gone = training, update, gone

    def run(self, counts: Sequence[ast.expr]) -> dict[str, PlannedStep]:
        """The step of each mode.

        Args:
          counts: what the metrics count.
        """
        update = self._update
        reported = self._specs["TRAIN"]["loss"]
        training = [*self._training, *update.gradients]
        return {
            "TRAIN": PlannedStep(training, [update.loss, reported]),
            "EVAL": self._plan_evaluation(counts),
            "PREDICT": self._plan_predictions(),
        }

    def _plan_evaluation(self, counts: Sequence[ast.expr]) -> PlannedStep:
        loss = self._specs.get("EVAL", {}).get("loss")
        if loss is None:
            return PlannedStep([], [])
        units = [u for u in self._after["EVAL"] if u not in self._gone]
        results = [loss, *counts]
        return PlannedStep(self._slices.find_with_messages(units, results), results)

    def _plan_predictions(self) -> PlannedStep:
        given = self._specs.get("PREDICT", {}).get("predictions")
        if given is None:
            return PlannedStep([], [])
        units = self._slices.find_with_messages(self._after["PREDICT"], [given])
        return PlannedStep(units, [given])


class AllowedSteps:
    """Checks that the steps of a model_fn hold only what a Keras model's may."""

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        values: dict[str, ModeValues],
    ) -> None:
        self._function, self._scopes, self._values = function, scopes, values

    def check(
        self, steps: dict[str, PlannedStep], update: Update, metrics: list[Metric]
    ) -> dict[str, dict[ast.AST, ast.expr | str]]:
        """Checks each step, and returns what the mode decides in it."""
        functions = {m.call.func for m in metrics}
        # Training may call the same metric functions again: they count in one metric.
        counted = {ast.dump(m.call) for m in metrics}
        for unit in steps["TRAIN"].units:
            value = getattr(unit.statement, "value", None)
            if isinstance(value, ast.Call) and ast.dump(value) in counted:
                functions.add(value.func)
        if update.computed is not None:
            functions.add(update.computed.func)
        listed = update.computed and names.find_argument(update.computed, "var_list", 1)
        chosen = [listed] if update.chosen and listed is not None else []
        allowed = checks.Steps(self._function, self._scopes, functions, chosen)
        applied = update.gradients[-1:]
        found: dict[str, dict[ast.AST, ast.expr | str]] = {}
        for mode, values in self._values.items():
            found[mode] = {}
            for unit in steps[mode].units:
                if unit not in applied:
                    folded = values.fold_code(unit.statement)
                    allowed.check(unit.statement, folded)
                    found[mode] |= folded
            for node in steps[mode].results:
                folded = values.fold_code(node)
                allowed.check(node, folded)
                found[mode] |= folded
        found["TRAIN"] |= self._values["TRAIN"].fold_code(update.optimizer)
        for unit in update.units:
            found["TRAIN"] |= self._values["TRAIN"].fold_code(unit.statement)
        return found


def read_by(
    statements: list[ast.stmt],
    steps: dict[str, PlannedStep],
    hooks: tuple[Hooks, ...],
    slices: Slices,
) -> set[str]:
    """Names that steps and hooks read, with those of collections.

    Args:
      statements: those of the steps, but for gradients.
    """
    results = [node for step in steps.values() for node in step.results]
    watching = [node for one in hooks for node in one.nodes]
    return {
        name
        for node in (*statements, *results, *watching)
        for name in (*names.find_reads(node), *slices.find_collected_losses(node))
    }
