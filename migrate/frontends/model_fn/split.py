"""Splits a model_fn by mode into a Keras model: a network, and what each step does."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import checks, updates
from migrate.frontends.model_fn.modes import (
    MODES,
    ModeValues,
    NotSplit,
    Straight,
    straight,
)
from migrate.frontends.model_fn.network import (
    Network,
    bound_call,
    layer_arguments,
    uses,
)
from migrate.program.keras_model import KerasModel, Metric, Unit
from migrate.tables import estimator as estimator_table
from migrate.tables import keras_models as table

SPECS = ("tf.estimator.EstimatorSpec",)
_SPEC = (
    "mode",
    "predictions",
    "loss",
    "train_op",
    "eval_metric_ops",
    "export_outputs",
    "training_chief_hooks",
    "training_hooks",
    "scaffold",
    "evaluation_hooks",
    "prediction_hooks",
)
# What the spec of each mode may give, beside what the mode does not look at.
_GIVEN = {
    "TRAIN": {"mode", "predictions", "loss", "train_op", "training_hooks"},
    "EVAL": {"mode", "predictions", "loss", "eval_metric_ops", "train_op"},
    "PREDICT": {"mode", "predictions", "export_outputs", "loss", "train_op"},
}
_IGNORED = {"export_outputs", "eval_metric_ops", "training_hooks"}
_ROLES = ("features", "labels", "mode", "params", "config")


class Split:
    """The analysis of one model_fn.

    Raises (from `run`):
      NotSplit: it does not lie in what a Keras model is known to equal.
    """

    def __init__(self, function: ast.FunctionDef, scopes: Scopes) -> None:
        self._function, self._scopes = function, scopes
        self._parameters = _parameters(function)
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
        specs = {mode: self._spec(mode, lines[mode]) for mode in MODES}
        self._check_names(lines.values())
        network = Network(function, scopes, self._values)
        shared = self._network(lines, network)
        after = _without(lines, shared)
        # What the outputs alone decide, and every mode needs, is the network's too.
        more = self._more(shared, after, specs, network)
        shared = [u for u in lines["TRAIN"].units if u in shared or u in more]
        for unit in shared:
            self._check_mode(unit.statement, network)
        # Plain values among the layers' statements are computed anew in a step.
        after = _without(lines, [u for u in shared if not self._is_host(u, shared)])
        averages = any(
            layer.row.function in estimator_table.BATCH_NORMALIZATION
            for layer in network.layers
        )
        update = updates.Updates(
            scopes, after["TRAIN"], specs["TRAIN"], self._tensors(shared)
        ).run(averages)
        made = {n for u in update.units for n in names.binds(u.statement)}
        own = {id(u) for u in update.gradients}
        own |= {id(u) for u in update.units if not self._is_plain(u, made)}
        rest = [u for u in after["TRAIN"] if id(u) not in own]

        predicted = specs["PREDICT"]["predictions"]
        predictions = self._needed(after["PREDICT"], [predicted])
        loss = self._needed(rest, [update.loss])
        metrics, gone = self._metrics(specs["EVAL"], after["EVAL"])
        summaries = self._summaries(rest, loss)
        training = [*loss, *summaries]
        wanted = [specs["EVAL"]["loss"], *(a for m in metrics for a in m.arguments)]
        evaluation = self._needed([u for u in after["EVAL"] if u not in gone], wanted)
        self._check_training_metrics(training, metrics)
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
            tensors = [u for u in shared if not self._is_host(u, shared)]
            checks.order(
                lines[mode].units, tensors, [u for u in steps if u not in shared]
            )
            used = [*shared, *steps, *update.units, *gone]
            checks.left_out(lines[mode].units, used, mode, self._values[mode], scopes)
        statements = [u.statement for u in (*predictions, *training, *evaluation)]
        checks.penalties(
            network.layers, [use for s in statements for use in uses(s, scopes)]
        )
        read = {
            name
            for node in (*statements, predicted, update.loss, *wanted)
            for name in names.reads(node)
        }
        outputs = self._outputs(shared, read, network)
        given = specs["EVAL"].get("eval_metric_ops")
        hooks = specs["TRAIN"].get("training_hooks")
        self._check_hooks(hooks, update.loss)
        return KerasModel(
            function=function,
            name=class_name(function.name),
            parameters=self._parameters,
            network=tuple(shared),
            outputs=outputs,
            layers=tuple(network.named()),
            helpers=tuple(network.helpers.values()),
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
            gathered=gone[0] if isinstance(given, ast.Name) else None,
            named=self._asked(predictions, training),
        )

    def _is_host(self, unit: Unit, shared: list[Unit]) -> bool:
        """Whether a statement among the layers' is of plain values only."""
        tensors = {self._role("features")}
        for other in shared:
            if names.reads(other.statement) & tensors:
                tensors |= names.binds(other.statement)
        return not names.binds(unit.statement) & tensors and not any(
            symbol in table.NETWORK for _, symbol in uses(unit.statement, self._scopes)
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

    def _outputs(
        self, shared: list[Unit], read: set[str], network: Network
    ) -> tuple[str, ...]:
        """Names that the network binds and steps read."""
        found = dict.fromkeys(
            name
            for unit in shared
            if not self._is_host(unit, shared)
            for name in sorted(names.binds(unit.statement))
            if name in read
        )
        if not found or not network.layers:
            raise NotSplit(self._function, "it has no layers of tf.layers")
        for name in found:
            self._check_output(name, shared, network)
        return tuple(found)

    def _asked(self, predictions: list[Unit], training: list[Unit]) -> bool:
        """Whether hooks ask for tensors that the predictions alone have.

        Raises:
          NotSplit: they ask for one that a training step would not have.
        """
        wanted = checks.watched(self._scopes, self._function)
        if not wanted:
            return False
        missing = wanted - _named(training)
        if missing - _named(predictions):
            raise NotSplit(
                self._function,
                f"a hook asks for a tensor by its name, {sorted(missing)[0]}",
            )
        return bool(missing)

    # Specs.

    def _spec(self, mode: str, line: Straight) -> dict[str, ast.expr]:
        bound = names.bound_arguments(line.spec, _SPEC)
        if bound is None:
            raise NotSplit(line.spec, "an argument of EstimatorSpec that is not known")
        given = {
            name: value
            for name, value in bound.items()
            if not (isinstance(value, ast.Constant) and value.value is None)
        }
        extra = set(given) - _GIVEN[mode] - _IGNORED
        if extra:
            raise NotSplit(line.spec, f"its EstimatorSpec has {sorted(extra)[0]}")
        for name in {"PREDICT": ("predictions",), "EVAL": ("loss",)}.get(
            mode, ("loss", "train_op")
        ):
            if name not in given:
                raise NotSplit(line.spec, f"its EstimatorSpec has no {name}")
        return {
            name: value
            for name, value in given.items()
            if name in _GIVEN[mode] or (name, mode) == ("export_outputs", "PREDICT")
        }

    # The network.

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

    def _network(self, lines: dict[str, Straight], network: Network) -> list[Unit]:
        """Statements that the layers need, the same in every mode."""
        found: dict[str, list[Unit]] = {}
        for mode, line in lines.items():
            makers = [u for u in line.units if network.makes_layers(u.statement)]
            found[mode] = _closure(line.units, makers)
        statements = {
            mode: [u.statement for u in units] for mode, units in found.items()
        }
        if not statements["TRAIN"]:
            raise NotSplit(self._function, "it has no layers of tf.layers")
        for mode in ("EVAL", "PREDICT"):
            if statements[mode] != statements["TRAIN"]:
                raise NotSplit(
                    self._function, f"in mode {mode} it has other layers than in TRAIN"
                )
        for unit in found["TRAIN"]:
            self._visit(unit, network)
        kept = {id(s) for s in statements["TRAIN"]}
        # The same statement is a unit of each mode; that of training stands for all.
        for mode in ("EVAL", "PREDICT"):
            line = lines[mode]
            by_statement = {id(u.statement): u for u in lines["TRAIN"].units}
            line.units = [by_statement.get(id(u.statement), u) for u in line.units]
        return [u for u in lines["TRAIN"].units if id(u.statement) in kept]

    def _visit(self, unit: Unit, network: Network) -> None:
        scope = tuple(s for s in unit.around if isinstance(s, ast.With))
        if any(isinstance(s, ast.If) for s in unit.around):
            pass  # The mode's: it is in every mode.
        network.visit(unit.statement, scope)
        if self._role("labels") in names.reads(unit.statement):
            raise NotSplit(unit.statement, "its layers depend on labels")

    def _more(
        self,
        shared: list[Unit],
        after: dict[str, list[Unit]],
        specs: dict[str, dict[str, ast.expr]],
        network: Network,
    ) -> list[Unit]:
        """Statements after the last layer that every mode needs and Keras records."""
        wanted = {
            "PREDICT": ("predictions",),
            "EVAL": ("loss", "eval_metric_ops"),
            "TRAIN": ("loss",),
        }
        needed = {
            mode: self._needed(
                after[mode],
                [specs[mode][k] for k in keys if k in specs[mode]],
            )
            for mode, keys in wanted.items()
        }
        common = [
            u for u in needed["TRAIN"] if u in needed["EVAL"] and u in needed["PREDICT"]
        ]
        bound = {n for u in shared for n in names.binds(u.statement)}
        bound |= {self._role("features"), self._role("params"), self._role("config")}
        local = set(self._scopes.scope_by_node[self._function].bindings)
        found: list[Unit] = []
        for unit in common:
            statement = unit.statement
            reads = {r for r in names.reads(statement) if "." not in r} & local
            if not reads <= bound or not isinstance(statement, ast.Assign):
                continue
            if not isinstance(statement.value, ast.Call):
                continue
            if _named([unit]):
                continue
            try:
                network.check(statement, self._values)
            except NotSplit:
                continue
            found.append(unit)
            bound |= names.binds(statement)
        return found

    def _check_mode(self, statement: ast.stmt, network: Network) -> None:
        """Among layers the mode is read as a layer's `training`, and nowhere else."""
        known = {n for v in self._values.values() for n in v.known}
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if node.id == self._role("mode") or node.id in known:
                    if not self._in_training_argument(node, network):
                        raise NotSplit(node, "its layers depend on the mode")

    def _in_training_argument(self, node: ast.AST, network: Network) -> bool:
        parent = self._scopes.parents.get(node)
        while parent is not None and not isinstance(parent, ast.stmt):
            if isinstance(parent, ast.Call):
                layer = next((x for x in network.layers if x.call is parent), None)
                if layer is not None:
                    bound = layer_arguments(parent, layer.row)
                    value = (bound or {}).get("training")
                    return value is not None and node in list(ast.walk(value))
                function = parent.func
                if isinstance(function, ast.Name):
                    for helper in network.helpers.values():
                        if helper.function.name == function.id:
                            arguments = bound_call(parent, helper.function) or {}
                            return any(
                                node in list(ast.walk(arguments[name]))
                                for name in helper.unneeded
                                if name in arguments
                            )
                return False
            parent = self._scopes.parents.get(parent)
        return False

    def _tensors(self, shared: list[Unit]) -> set[str]:
        """Names of features, labels, and what the network makes of them."""
        found = {n for u in shared for n in names.binds(u.statement)}
        return found | {self._role("features"), self._role("labels")} - {""}

    def _check_output(self, name: str, shared: list[Unit], network: Network) -> None:
        """An output is a tensor that Keras records."""
        last = [u for u in shared if name in names.binds(u.statement)][-1]
        statement = last.statement
        value = statement.value if isinstance(statement, ast.Assign) else None
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        plain = len(targets) == 1 and isinstance(targets[0], ast.Name)
        if isinstance(statement, ast.For):
            plain, value = True, None
            for inner in ast.walk(statement):
                if isinstance(inner, ast.Assign) and name in names.binds(inner):
                    value = inner.value
        if plain and isinstance(value, ast.Call):
            symbol = self._scopes.resolve(value.func)
            if symbol in table.NETWORK or network.makes_layers(value):
                return
        raise NotSplit(
            statement,
            f"`{name}` is read after the layers, and may be no tensor of theirs",
        )

    # Steps.

    def _needed(self, units: list[Unit], wanted: Iterable[ast.expr]) -> list[Unit]:
        """Units that some expressions need, in order."""
        read = {n for node in wanted for n in names.reads(node)}
        makers: list[Unit] = []
        for unit in reversed(units):
            binds = names.binds(unit.statement)
            if binds & read:
                makers.append(unit)
                if isinstance(unit.statement, (ast.Assign, ast.AnnAssign)):
                    read -= binds
                read |= names.reads(unit.statement)
                if isinstance(unit.statement, ast.AugAssign):
                    read |= binds
                if self._is_total(unit.statement):
                    read |= self._collected(units)
        return list(reversed(makers))

    def _is_total(self, statement: ast.stmt) -> bool:
        """Whether a statement adds up the losses that the graph has collected."""
        return any(s == table.TOTAL_LOSS for _, s in uses(statement, self._scopes))

    def _collected(self, units: list[Unit]) -> set[str]:
        """The name of the one loss that functions of tf.losses have collected."""
        found: list[str] = []
        for unit in units:
            for node, symbol in uses(unit.statement, self._scopes):
                if not symbol.startswith("tf.losses."):
                    continue
                if symbol.rpartition(".")[2].startswith(("get_", "Reduction")):
                    continue
                value = getattr(unit.statement, "value", None)
                parent = self._scopes.parents.get(node)
                named = isinstance(unit.statement, ast.Assign) and isinstance(
                    unit.statement.targets[0], ast.Name
                )
                if parent is not value or not named:
                    raise NotSplit(node, "a loss of the total that has no name")
                found += names.binds(unit.statement)
        if len(found) != 1:
            raise NotSplit(self._function, "its total loss is of more than one loss")
        return set(found)

    def _summaries(self, rest: list[Unit], loss: list[Unit]) -> list[Unit]:
        """Statements of training that write summaries, or name tensors, and their needs."""
        found: list[Unit] = []
        for unit in rest:
            if unit in loss or not isinstance(unit.statement, ast.Expr):
                continue
            call = unit.statement.value
            symbol = (
                self._scopes.resolve(call.func) if isinstance(call, ast.Call) else None
            ) or ""
            if symbol.startswith("tf.summary.") or symbol == "tf.identity":
                for needed in (*self._needed(rest, [call]), unit):
                    if needed not in loss and needed not in found:
                        found.append(needed)
        return found

    # Evaluation.

    def _metrics(
        self, spec: dict[str, ast.expr], units: list[Unit]
    ) -> tuple[list[Metric], list[Unit]]:
        """The metrics of eval_metric_ops, and statements that only gathered them."""
        given = spec.get("eval_metric_ops")
        gone: list[Unit] = []
        if given is None:
            return [], gone
        given = self._value_of(given, units, gone)
        if not isinstance(given, ast.Dict):
            raise NotSplit(
                given, "eval_metric_ops is no dictionary that is written out"
            )
        found = []
        for key, value in zip(given.keys, given.values):
            if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                raise NotSplit(given, "a metric whose name is not written out")
            if key.value in ("loss", "global_step"):
                raise NotSplit(
                    value, f"a metric named {key.value!r}, as Estimator's own"
                )
            call = self._value_of(value, units, gone)
            found.append(self._metric(key.value, call))
        return found, gone

    def _value_of(
        self, node: ast.expr, units: list[Unit], gone: list[Unit]
    ) -> ast.expr:
        """What a name stands for, where one statement binds it."""
        if not isinstance(node, ast.Name):
            return node
        makers = [u for u in units if node.id in names.binds(u.statement)]
        if len(makers) != 1 or not isinstance(makers[0].statement, ast.Assign):
            raise NotSplit(node, f"`{node.id}` is bound more than once, or not here")
        if not isinstance(makers[0].statement.targets[0], ast.Name):
            raise NotSplit(node, f"`{node.id}` is one of several values")
        gone.append(makers[0])
        return makers[0].statement.value

    def _metric(self, key: str, call: ast.expr) -> Metric:
        symbol = (
            self._scopes.resolve(call.func) if isinstance(call, ast.Call) else None
        ) or ""
        row = table.METRICS.get(symbol)
        if row is None or not isinstance(call, ast.Call):
            raise NotSplit(
                call,
                f"of the metric {key!r} no Keras metric is known to count the same",
            )
        bound = names.bound_arguments(
            call, (*row.parameters, *row.constructor, "weights", "name")
        )
        if bound is None or "weights" in bound:
            raise NotSplit(call, f"arguments of {symbol} that its Keras metric has not")
        if not all(p in bound for p in row.parameters):
            raise NotSplit(call, f"{symbol} without all of its arguments")
        return Metric(
            key,
            call,
            row,
            tuple(bound[p] for p in row.parameters),
            tuple((p, bound[p]) for p in row.constructor if p in bound),
        )

    def _check_training_metrics(
        self, training: list[Unit], metrics: list[Metric]
    ) -> None:
        """A streaming metric in training is one of evaluation's, and read as its value."""
        known = {id(m.call) for m in metrics}
        for unit in training:
            for node, symbol in uses(unit.statement, self._scopes):
                if not symbol.startswith("tf.metrics."):
                    continue
                call = self._scopes.parents.get(node)
                statement = unit.statement
                plain = (
                    isinstance(statement, ast.Assign)
                    and statement.value is call
                    and isinstance(statement.targets[0], ast.Name)
                )
                if id(call) not in known or not plain:
                    raise NotSplit(node, "a streaming metric of training alone")
                assert isinstance(statement, ast.Assign)
                self._check_reads(ast.unparse(statement.targets[0]), training, node)

    def _check_reads(self, name: str, training: list[Unit], where: ast.AST) -> None:
        for unit in training:
            for node in ast.walk(unit.statement):
                if isinstance(node, ast.Name) and node.id == name:
                    if isinstance(node.ctx, ast.Load):
                        parent = self._scopes.parents.get(node)
                        if not (
                            isinstance(parent, ast.Subscript)
                            and isinstance(parent.slice, ast.Constant)
                        ):
                            raise NotSplit(where, "a streaming metric as a pair")

    # Around.

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
        value = self._value_of(given, units, [])
        local = set(self._scopes.scope_by_node[self._function].bindings)
        read = names.reads(value) & local
        allowed = {predicted.id} if isinstance(predicted, ast.Name) else set()
        if not read <= allowed:
            raise NotSplit(
                value, "its export_outputs are made of more than predictions"
            )
        return value


def _parameters(function: ast.FunctionDef) -> dict[str, str]:
    """The model_fn's parameters, by role.

    Raises:
      NotSplit: there are others.
    """
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        raise NotSplit(function, "it takes arguments without a name")
    found: dict[str, str] = {}
    given = [*arguments.args, *arguments.kwonlyargs]
    for index, argument in enumerate(given):
        role = argument.arg if argument.arg in _ROLES else ""
        if not role and index == 0:
            role = "features"
        if not role:
            raise NotSplit(
                function, f"its parameter `{argument.arg}` is none of Estimator's"
            )
        found[role] = argument.arg
    if "mode" not in found or "labels" not in found:
        raise NotSplit(function, "it does not take labels and a mode")
    return found


def _closure(units: list[Unit], wanted: list[Unit]) -> list[Unit]:
    """Units that some units need, and these, in order."""
    read: set[str] = set()
    kept: list[Unit] = []
    for unit in reversed(units):
        binds = names.binds(unit.statement)
        if unit in wanted or binds & read:
            kept.append(unit)
            if isinstance(unit.statement, ast.Assign):
                read -= binds
            read |= names.reads(unit.statement)
    return list(reversed(kept))


def _without(lines: dict[str, Straight], units: list[Unit]) -> dict[str, list[Unit]]:
    return {
        mode: [u for u in line.units if u not in units] for mode, line in lines.items()
    }


def _named(units: Iterable[Unit]) -> set[str]:
    """Names that statements give to tensors."""
    return {
        node.value.value
        for unit in units
        for node in ast.walk(unit.statement)
        if isinstance(node, ast.keyword)
        and node.arg == "name"
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def class_name(function: str) -> str:
    """A class for a model_fn: `cnn_model_fn` -> `CnnModel`."""
    private = "_" if function.startswith("_") else ""
    words = [w for w in function.split("_") if w]
    if words and words[-1] == "fn":
        words.pop()
    if not words or words[-1].lower() != "model":
        words.append("model")
    if len(words) == 1:
        words.insert(0, "estimator")
    return private + "".join(w[:1].upper() + w[1:] for w in words)
