"""Splits a model_fn by mode into a Keras model: a network, and what each step does."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import (
    checks,
    contrib_calls,
    counting,
    first_values,
    own_variables,
    penalties,
    reductions,
    totals,
    twins,
    updates,
)
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.common import Common, CommonOfVariables
from migrate.frontends.model_fn.counting import Counting
from migrate.frontends.model_fn.exports import read_exports
from migrate.frontends.model_fn.hooks import KINDS, Watching
from migrate.frontends.model_fn.messages import is_message, is_seed
from migrate.frontends.model_fn.metrics import Metrics
from migrate.frontends.model_fn.modes import (
    MODES,
    ModeValues,
    NotSplit,
    Straight,
    Untold,
    follow_mode,
)
from migrate.frontends.model_fn.signature import map_parameters, name_class
from migrate.frontends.model_fn.slices import Slices, drop_units, find_tensor_names
from migrate.frontends.model_fn.specs import SPECS, read_arguments
from migrate.frontends.model_fn.steps import (
    AllowedSteps,
    PlannedStep,
    Steps,
    read_by,
)
from migrate.frontends.model_fn.subclassed import Subclassed
from migrate.frontends.model_fn.tables import Tables
from migrate.frontends.model_fn.tags import Tags
from migrate.program.keras_model import (
    Called,
    Counter,
    Hooks,
    KerasModel,
    Metric,
    list_counted_values,
)
from migrate.program.keras_units import Unit
from migrate.program.keras_updates import Update


class Split:
    """The analysis of one model_fn.

    Args:
      bound: parameters that functools.partial gives it.
      told: functions that are told in which variable scope they are called.

    Raises (from `run`):
      NotSplit: it does not lie in what a Keras model is known to equal.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        bound: frozenset[str],
        told: frozenset[ast.FunctionDef] = frozenset(),
    ) -> None:
        self._told = told
        self._function, self._scopes, self._bound = function, scopes, bound
        self._parameters = map_parameters(function, bound)
        self._values: dict[str, ModeValues] = {}

    def _find_role(self, role: str) -> str:
        return self._parameters.get(role, "")

    def run(self) -> KerasModel:
        """Makes the model: functional, else subclassed, else of variables as layers."""
        try:
            return self._run(Common)
        except NotSplit as reason:
            functional = reason
        try:
            return self._run(Subclassed)
        except NotSplit as reason:
            called = reason
        own = own_variables.has_some(self._function, self._scopes)
        if own_variables.makes_variables_in_functions(self._function, self._scopes):
            try:
                return self._run(CommonOfVariables)
            except NotSplit:
                if own or functional.reason.startswith(
                    ("it has no layers", "among its layers")
                ):
                    raise
        elif own:
            with contextlib.suppress(NotSplit):
                model = self._run(CommonOfVariables)
                if own_variables.are_applied(model, self._scopes):
                    return model
        raise called if own else functional

    def _run(self, network: type[Common] | type[Subclassed]) -> KerasModel:
        told = set(self._told)
        while True:
            try:
                return self._try_network(network, told)
            except Untold as other:
                told.add(other.function)

    def _try_network(
        self,
        network: type[Common] | type[Subclassed],
        told_scopes: set[ast.FunctionDef],
    ) -> KerasModel:
        """Tries to make the model with one kind of network.

        Args:
          told_scopes: functions that are told in which variable scope they are called.
        """
        function, scopes = self._function, self._scopes
        lines, specs = self._read()
        tables = Tables(function, scopes, self._given - {""}, self._values).take_tables(
            lines
        )
        found = self._find_counting(lines, specs)
        collected = totals.find_totals(lines, scopes)
        slices = Slices(function, scopes, collected)
        first = first_values.take_first_values(
            function, lines, specs, self._values, scopes, slices.built
        )
        self._check_names(lines.values(), slices.built)
        common = network(function, scopes, self._parameters, self._values, slices)
        common.network.told |= told_scopes
        shared = common.run(lines, specs)
        # Plain values among the layers' statements are computed anew in a step.
        tensors = [u for u in shared if not common.is_host(u, shared)]
        said = [
            u
            for u in shared
            if is_message(u.statement, scopes) or is_seed(u.statement, scopes)
        ]
        after = drop_units(lines, [*tensors, *said])
        update = self._read_update(common, shared, after["TRAIN"], specs["TRAIN"])
        rest = self._drop_update(after["TRAIN"], update)

        reported = specs["TRAIN"]["loss"]
        penalties.check_reported(reported, scopes)
        penalties.check_evaluated(specs.get("EVAL", {}), scopes)
        loss = slices.find_needed(rest, [update.loss, reported])
        metrics, counter, gone = self._read_metrics(found, lines, specs, after)
        units = {**after, "TRAIN": rest}
        hooks = (
            *first.check(
                self._given,
                common.network.makes_layers,
                lines["TRAIN"].units,
                update.applied,
            ),
            *self._read_hooks(
                specs, units, update, common.find_tensors(shared), metrics
            ),
        )
        summaries = slices.find_observed(rest, loss, hooks)
        training = [*loss, *summaries]
        Metrics(scopes, self._values.get("EVAL")).check_training(training, metrics)
        steps = Steps(specs, slices, after, training, update, gone).run(
            list_counted_values(metrics, counter)
        )
        checks.check_lists_of_variables(steps["TRAIN"].units, scopes)
        allowed = AllowedSteps(function, scopes, self._values)
        folded = allowed.check(steps, update, metrics)
        folded["TRAIN"] |= first.folded
        for mode, line in lines.items():
            penalties.check_order(line.units, scopes, common.network.makes_layers)
            penalties.check_lists(line.units, scopes, common.network.makes_layers)
            own = [u for u in steps[mode].units if u not in shared]
            checks.check_order(line.units, tensors, own, slices.built)
            used = [*shared, *steps[mode].units, *update.units, *gone]
            used += [u for h in hooks if KINDS.get(h.kind) == mode for u in h.made]
            given_ = specs[mode].values()
            checks.check_left_out_statements(line.units, used, mode, scopes, given_)
        self._check_rebound(lines, steps, training, update, metrics, counter)
        predictions, evaluation = steps["PREDICT"].units, steps["EVAL"].units
        statements = [u.statement for u in (*predictions, *training, *evaluation)]
        checks.check_penalties(
            common.network.layers,
            [use for s in statements for use in find_uses(s, scopes)],
            common.has_penalty(),
        )
        read = read_by(statements, steps, hooks, slices)
        outputs = common.find_outputs(shared, read)
        called = _read_call(common, read, update, outputs)
        asked = self._is_asked_by_hooks(predictions, training)
        if asked and folded.get("PREDICT"):
            raise NotSplit(function, "hooks request a tensor that depends on the mode")
        predicted = specs.get("PREDICT", {}).get("predictions")
        exported = specs.get("PREDICT", {}).get("export_outputs")
        return KerasModel(
            function=function,
            name=name_class(function.name),
            parameters=self._parameters,
            bound=self._bound,
            network=tuple(shared),
            outputs=outputs,
            called=called,
            twins=None if isinstance(common, Subclassed) else common.twins,
            layers=tuple(common.network.name_layers()),
            within=tuple(common.network.within),
            helpers=tuple(common.network.helpers.values()),
            predictions=tuple(predictions),
            predicted=predicted,
            exports=read_exports(
                exported, predicted, after.get("PREDICT", []), function, scopes
            ),
            loss=tuple(loss),
            summaries=tuple(summaries),
            train_loss=update.loss,
            reported=reported,
            update=update,
            sums=reductions.is_sum(lines["TRAIN"].units, scopes),
            hooks=hooks,
            evaluation=tuple(evaluation),
            evaluated=specs.get("EVAL", {}).get("loss"),
            metrics=tuple(metrics),
            counter=counter,
            gathered=tuple(gone),
            named=asked,
            folded=folded,
            scoping=tuple(common.network.scoping),
            replaced=dict(common.network.replaced),
            tags=Tags(function, scopes).find_tags(summaries),
            totals=collected,
            tables=tables,
        )

    @property
    def _given(self) -> set[str]:
        """Names that are known before the model is made: params, config, what is bound."""
        return {self._find_role("params"), self._find_role("config"), *self._bound}

    def _read(self) -> tuple[dict[str, Straight], dict[str, dict[str, ast.expr]]]:
        """Reads each mode's statements and spec, without normalizers' arguments."""
        function, scopes = self._function, self._scopes
        self._values = {
            mode: ModeValues(
                mode, self._find_role("mode"), self._find_role("labels"), scopes
            )
            for mode in MODES
        }
        if function.decorator_list:
            raise NotSplit(function, "it has a decorator")
        checks.check_own_names(function, scopes)
        checks.check_draws(function, scopes)
        lines, specs = self._read_modes()
        told = contrib_calls.find_params(function, scopes)
        for line in lines.values():
            line.units = [u for u in line.units if u.statement not in told]
        return lines, specs

    def _read_update(
        self,
        common: Common | Subclassed,
        shared: list[Unit],
        units: list[Unit],
        spec: dict[str, ast.expr],
    ) -> Update:
        """Finds how training changes the variables.

        Args:
          shared: the network's statements.
          units: those of training after them.
        """
        averages = any(
            checks.lists_averages(part)
            for layer in common.network.layers
            for part in layer.parts
        )
        tensors, values = common.find_tensors(shared), self._values["TRAIN"]
        return updates.Updates(self._scopes, units, spec, tensors, values).run(averages)

    def _drop_update(self, units: list[Unit], update: Update) -> list[Unit]:
        """Statements of training without those that the update alone needs."""
        made = {n for u in update.units for n in names.find_binds(u.statement)}
        own = {id(u) for u in update.gradients}
        own |= {id(u) for u in update.units if not self._is_plain(u, made)}
        return [u for u in units if id(u) not in own]

    def _read_metrics(
        self,
        found: tuple[ast.Call, ast.FunctionDef, Unit | None] | None,
        lines: dict[str, Straight],
        specs: dict[str, dict[str, ast.expr]],
        after: dict[str, list[Unit]],
    ) -> tuple[list[Metric], Counter | None, list[Unit]]:
        """The metrics, the function that counts them, and statements that only list them.

        Args:
          found: the function that makes the metrics, where one does.
          after: what each mode runs after the network.
        """
        if found is None:
            metrics, gone = Metrics(self._scopes, self._values.get("EVAL")).run(
                specs.get("EVAL", {}), after.get("EVAL", [])
            )
            return metrics, None, gone
        call, counts_with, named_by = found
        evaluated_by = lines["EVAL"].spec
        unread = [
            word
            for line in lines.values()
            if line.spec is not evaluated_by
            for word in line.spec.keywords
        ]
        counting_ = Counting(self._function, counts_with, self._scopes, unread)
        counter, metrics = counting_.run(call)
        return metrics, counter, [] if named_by is None else [named_by]

    def _find_counting(
        self, lines: dict[str, Straight], specs: dict[str, dict[str, ast.expr]]
    ) -> tuple[ast.Call, ast.FunctionDef, Unit | None] | None:
        """The function that makes the metrics; its definition is taken off the lines."""
        given = specs.get("EVAL", {}).get("eval_metric_ops")
        if given is None:
            return None
        found = counting.find_call(given, lines["EVAL"].units, self._scopes)
        if found is not None:
            for line in lines.values():
                line.units = [u for u in line.units if u.statement is not found[1]]
        return found

    def _read_modes(self) -> tuple[dict[str, Straight], dict[str, dict[str, ast.expr]]]:
        """Reads the statements and the spec's arguments of each usable mode."""
        lines: dict[str, Straight] = {}
        specs: dict[str, dict[str, ast.expr]] = {}
        for mode in MODES:
            line = follow_mode(self._function, self._values[mode], self._scopes, SPECS)
            spec = read_arguments(mode, line, self._values[mode]) if line else None
            if line is not None and spec is not None:
                lines[mode], specs[mode] = line, spec
            else:
                del self._values[mode]
        if "TRAIN" not in lines:
            raise NotSplit(self._function, "its EstimatorSpec trains nothing")
        self._check_labels()
        return lines, specs

    def _check_labels(self) -> None:
        """Refuses tests for labels in modes other than PREDICT."""
        predicting = self._values.get("PREDICT")
        known = predicting.unlabelled if predicting is not None else set()
        for values in self._values.values():
            for node in values.unlabelled - known:
                raise NotSplit(node, "it tests for labels in a mode other than PREDICT")

    def _is_plain(self, unit: Unit, made: set[str]) -> bool:
        """Whether a statement for the optimizer is of plain values, and can be repeated."""
        return not names.find_reads(unit.statement) & made and not list(
            find_uses(unit.statement, self._scopes)
        )

    def _check_rebound(
        self,
        lines: dict[str, Straight],
        steps: dict[str, PlannedStep],
        training: list[Unit],
        update: Update,
        metrics: list[Metric],
        counter: Counter | None,
    ) -> None:
        """Refuses names that mean something else where the update or a metric reads them."""
        checks.check_rebound(
            lines["TRAIN"].units, update.applied, [update.loss], training
        )
        calls = [(m.call, m.arguments) for m in metrics]
        if counter is not None:
            calls = [(counter.call, list_counted_values(metrics, counter))]
        for call, arguments in calls:
            checks.check_rebound(
                lines["EVAL"].units, call, arguments, steps["EVAL"].units
            )

    def _is_asked_by_hooks(self, predictions: list[Unit], training: list[Unit]) -> bool:
        """Whether hooks ask for tensors that the predictions alone have.

        Raises:
          NotSplit: they ask for one that a training step would not have.
        """
        wanted = checks.find_watched_names(self._scopes)
        if not wanted:
            return False
        missing = wanted - find_tensor_names(training, self._scopes)
        if missing - find_tensor_names(predictions, self._scopes):
            raise NotSplit(
                self._function,
                f"a hook requests a tensor by its name, {sorted(missing)[0]}",
            )
        return bool(missing)

    def _check_names(self, lines: Iterable[Straight], built: frozenset[str]) -> None:
        """Refuses definitions, global names, and objects that change in place."""
        for line in lines:
            for unit in line.units:
                if isinstance(unit.statement, (ast.FunctionDef, ast.ClassDef)):
                    raise NotSplit(unit.statement, "it defines a function or a class")
                if isinstance(unit.statement, (ast.Global, ast.Nonlocal, ast.Import)):
                    raise NotSplit(unit.statement, "it assigns global names")
                changed = {
                    n.partition(".")[0] for n in names.find_mutations(unit.statement)
                }
                changed -= built
                if any(not self._scopes.find_imported_path(name) for name in changed):
                    raise NotSplit(unit.statement, "it changes an object in place")

    def _read_hooks(
        self,
        specs: dict[str, dict[str, ast.expr]],
        units: dict[str, list[Unit]],
        update: Update,
        tensors: set[str],
        metrics: list[Metric],
    ) -> tuple[Hooks, ...]:
        """The hooks of every mode.

        Args:
          units: of each mode, without the network and the update.
          tensors: names of what depends on features and labels.
        """
        loss = specs["TRAIN"]["loss"]
        found = []
        for kind, mode in KINDS.items():
            value = specs.get(mode, {}).get(kind)
            if value is None:
                continue
            free = self._given
            trains = mode == "TRAIN"
            if trains and isinstance(loss, ast.Name):
                free.add(loss.id)
            watching = Watching(
                self._function,
                self._scopes,
                units[mode],
                tensors,
                free,
                update.schedules if trains else frozenset(),
                metrics,
            )
            found.append(watching.run(kind, value))
            if kind == "training_scaffold":
                self._check_saver(found[-1], update)
        return tuple(found)

    def _check_saver(self, scaffold: Hooks, update: Update) -> None:
        """Refuses a Saver before the update: it does not save later variables."""
        last = update.averaged.unit.statement if update.averaged else update.applied
        for node in scaffold.nodes:
            for use, symbol in find_uses(node, self._scopes):
                if symbol == "tf.train.Saver" and use.lineno < last.lineno:
                    raise NotSplit(use, "it makes a Saver before it makes its update")


def _read_call(
    common: Common | Subclassed,
    read: set[str],
    update: Update,
    outputs: tuple[str, ...],
) -> Called | None:
    """Describes the `call` of a subclassed model; None for a functional one.

    Raises:
      NotSplit: its networks are not alike enough.
    """
    if isinstance(common, Subclassed):
        common.check()
        of_update = [u.statement for u in update.gradients]
        return common.describe(
            read | {n for s in of_update for n in names.find_reads(s)}
        )
    if common.twins is not None:
        twins.check(common.twins, common.network, outputs)
    return None
