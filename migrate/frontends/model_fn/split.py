"""Splits a model_fn by mode into a Keras model: a network, and what each step does."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import checks, updates
from migrate.frontends.model_fn.common import Common
from migrate.frontends.model_fn.metrics import Metrics, value_of
from migrate.frontends.model_fn.modes import (
    MODES,
    ModeValues,
    NotSplit,
    Straight,
    straight,
)
from migrate.frontends.model_fn.network import uses
from migrate.frontends.model_fn.signature import class_name, parameters
from migrate.frontends.model_fn.slices import Slices, named, without
from migrate.frontends.model_fn.specs import SPECS, given
from migrate.program.keras_model import KerasModel, Metric, Unit
from migrate.tables import estimator as estimator_table


class Split:
    """The analysis of one model_fn.

    Raises (from `run`):
      NotSplit: it does not lie in what a Keras model is known to equal.
    """

    def __init__(self, function: ast.FunctionDef, scopes: Scopes) -> None:
        self._function, self._scopes = function, scopes
        self._parameters = parameters(function)
        self._values = {
            mode: ModeValues(mode, self._role("mode"), self._role("labels"), scopes)
            for mode in MODES
        }

    def _role(self, role: str) -> str:
        return self._parameters.get(role, "")

    def run(self) -> KerasModel:
        """The model."""
        function, scopes = self._function, self._scopes
        if function.decorator_list:
            raise NotSplit(function, "it has a decorator")
        checks.own_names(function)
        lines = {
            mode: straight(function, self._values[mode], scopes, SPECS)
            for mode in MODES
        }
        specs = {mode: given(mode, lines[mode]) for mode in MODES}
        self._check_names(lines.values())
        slices = Slices(function, scopes)
        common = Common(function, scopes, self._parameters, self._values)
        shared = common.run(lines, specs)
        # Plain values among the layers' statements are computed anew in a step.
        after = without(lines, [u for u in shared if not common.is_host(u, shared)])
        averages = any(
            layer.row.function in estimator_table.BATCH_NORMALIZATION
            for layer in common.network.layers
        )
        update = updates.Updates(
            scopes, after["TRAIN"], specs["TRAIN"], common.tensors(shared)
        ).run(averages)
        made = {n for u in update.units for n in names.binds(u.statement)}
        own = {id(u) for u in update.gradients}
        own |= {id(u) for u in update.units if not self._is_plain(u, made)}
        rest = [u for u in after["TRAIN"] if id(u) not in own]

        predicted = specs["PREDICT"]["predictions"]
        predictions = slices.needed(after["PREDICT"], [predicted])
        loss = slices.needed(rest, [update.loss])
        counted = Metrics(scopes)
        metrics, gone = counted.run(specs["EVAL"], after["EVAL"])
        summaries = slices.summaries(rest, loss)
        training = [*loss, *summaries]
        wanted = [specs["EVAL"]["loss"], *(a for m in metrics for a in m.arguments)]
        evaluation = slices.needed([u for u in after["EVAL"] if u not in gone], wanted)
        counted.check_training(training, metrics)
        self._check_steps(
            [*predictions, *training, *evaluation, *update.gradients[:-1]],
            [predicted, update.loss, *wanted],
            metrics,
            update.computed,
        )
        for mode, steps in (
            ("TRAIN", [*training, *update.gradients]),
            ("EVAL", evaluation),
            ("PREDICT", predictions),
        ):
            tensors = [u for u in shared if not common.is_host(u, shared)]
            checks.order(
                lines[mode].units, tensors, [u for u in steps if u not in shared]
            )
            used = [*shared, *steps, *update.units, *gone]
            checks.left_out(lines[mode].units, used, mode, self._values[mode], scopes)
        statements = [u.statement for u in (*predictions, *training, *evaluation)]
        checks.penalties(
            common.network.layers, [use for s in statements for use in uses(s, scopes)]
        )
        read = {
            name
            for node in (*statements, predicted, update.loss, *wanted)
            for name in names.reads(node)
        }
        outputs = common.outputs(shared, read)
        gathered = specs["EVAL"].get("eval_metric_ops")
        hooks = specs["TRAIN"].get("training_hooks")
        self._check_hooks(hooks, update.loss)
        return KerasModel(
            function=function,
            name=class_name(function.name),
            parameters=self._parameters,
            network=tuple(shared),
            outputs=outputs,
            layers=tuple(common.network.named()),
            helpers=tuple(common.network.helpers.values()),
            predictions=tuple(predictions),
            predicted=predicted,
            export_outputs=self._exports(
                specs["PREDICT"].get("export_outputs"), predicted, after["PREDICT"]
            ),
            loss=tuple(loss),
            summaries=tuple(summaries),
            train_loss=update.loss,
            update=update,
            training_hooks=hooks,
            evaluation=tuple(evaluation),
            evaluated=specs["EVAL"]["loss"],
            metrics=tuple(metrics),
            gathered=gone[0] if isinstance(gathered, ast.Name) else None,
            named=self._asked(predictions, training),
        )

    def _is_plain(self, unit: Unit, made: set[str]) -> bool:
        """Whether a statement for the optimizer is of plain values, and can be repeated."""
        return not names.reads(unit.statement) & made and not list(
            uses(unit.statement, self._scopes)
        )

    def _check_steps(
        self,
        units: list[Unit],
        results: list[ast.expr],
        metrics: list[Metric],
        computed: ast.Call | None,
    ) -> None:
        known = {n for values in self._values.values() for n in values.known}
        functions = {m.call.func for m in metrics}
        if computed is not None:
            functions.add(computed.func)
        steps = checks.Steps(
            self._function, self._scopes, self._parameters, known, functions
        )
        for unit in units:
            steps.check(unit.statement)
        for node in results:
            steps.check(node)

    def _asked(self, predictions: list[Unit], training: list[Unit]) -> bool:
        """Whether hooks ask for tensors that the predictions alone have.

        Raises:
          NotSplit: they ask for one that a training step would not have.
        """
        wanted = checks.watched(self._scopes, self._function)
        if not wanted:
            return False
        missing = wanted - named(training)
        if missing - named(predictions):
            raise NotSplit(
                self._function,
                f"a hook asks for a tensor by its name, {sorted(missing)[0]}",
            )
        return bool(missing)

    def _check_names(self, lines: Iterable[Straight]) -> None:
        """A name that is bound twice, differently, would be another in another step."""
        for line in lines:
            for unit in line.units:
                if isinstance(unit.statement, (ast.FunctionDef, ast.ClassDef)):
                    raise NotSplit(unit.statement, "it defines a function or a class")
                if isinstance(unit.statement, (ast.Global, ast.Nonlocal, ast.Import)):
                    raise NotSplit(unit.statement, "it binds names of the module")
                changed = {n.partition(".")[0] for n in names.mutates(unit.statement)}
                if any(not self._scopes.stands_for(name) for name in changed):
                    raise NotSplit(unit.statement, "it changes an object in place")

    def _check_hooks(self, hooks: ast.expr | None, loss: ast.expr) -> None:
        if hooks is None:
            return
        local = set(self._scopes.scope_by_node[self._function].bindings)
        read = names.reads(hooks) & local
        allowed = {loss.id} if isinstance(loss, ast.Name) else set()
        if not read <= allowed:
            raise NotSplit(hooks, "its training hooks watch more than the loss")

    def _exports(
        self, given: ast.expr | None, predicted: ast.expr, units: list[Unit]
    ) -> ast.expr | None:
        if given is None:
            return None
        value = value_of(given, units, [])
        local = set(self._scopes.scope_by_node[self._function].bindings)
        read = names.reads(value) & local
        allowed = {predicted.id} if isinstance(predicted, ast.Name) else set()
        if not read <= allowed:
            raise NotSplit(
                value, "its export_outputs are made of more than predictions"
            )
        return value
