"""Writes a model_fn as a class of tf_keras.Model, and has Estimators train it.

The user's statements move: those of the network into `__init__`, what computes
predictions, loss and metrics into the step that needs them. `keras_estimator`, written
beside the program, calls the steps where tf.estimator ran a session.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable

from migrate.backends.keras import layers
from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import call as laid_out
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.ir import Code, code
from migrate.program.keras_model import KerasModel, Metric, Unit
from migrate.tables import keras_models as table

_SPLIT = ("K101", "the model_fn is a Keras model: its modes are the steps of a class")
_LAYER = ("K102", "a Keras layer: the same variables under the same names")
_METRIC = ("K103", "a Keras metric that counts the same")
_TRAINS = ("K104", "trains the Keras model, as tf.estimator did around a model_fn")
# Names of tf_keras.Model that a metric's attribute must not hide.
_TAKEN = frozenset(
    """build built call compile compute_loss compute_metrics count_params dtype dynamic
    evaluate export fit get_config input input_shape inputs layers loss losses metrics
    metrics_names name non_trainable_variables optimizer output output_shape outputs
    predict run_eagerly save state_updates stateful submodules summary test_step
    train_step trainable trainable_variables trainable_weights updates variables weights
    params mean_loss predictions_from loss_from""".split()
)


@dataclasses.dataclass(frozen=True)
class Trained:
    """A call of Estimator whose model_fn becomes a Keras model."""

    call: ast.Call
    model: ast.expr


class KerasRewrite:
    """Plans one model_fn.

    Args:
      trained: the Estimators that have it.

    Attributes:
      claimed: node -> (code, reason).
    """

    def __init__(
        self,
        model: KerasModel,
        trained: Iterable[Trained],
        scopes: Scopes,
        plan: Plan,
        name: str,
    ) -> None:
        self._model, self._trained, self._scopes = model, list(trained), scopes
        self._plan, self._name = plan, name
        self.claimed: dict[ast.AST, tuple[str, str]] = {}
        # Statements around units whose comments stand somewhere already.
        self._told: set[ast.stmt] = set()
        self._emitted: set[ast.AST] = set()
        self._features = model.parameters["features"]
        self._labels = model.parameters["labels"]
        self._params = model.parameters.get("params", "")

    def run(self) -> None:
        model, plan = self._model, self._plan
        for call, new in layers.calls(model, self._scopes):
            plan.replace(call, new)
            if isinstance(call.func, (ast.Name, ast.Attribute)):
                if self._scopes.resolve(call.func) is not None:
                    self.claimed[call.func] = _LAYER
        for helper in model.helpers:
            plan.statements[helper.function] = layers.helper(helper)
        self._collections()
        plan.statements[model.function] = [self._class()]
        for one in self._trained:
            self._train(one)
        plan.imports += ["import tf_keras", f"import {table.MODULE}"]
        plan.support.add(table.SUPPORT)
        self._claim_rest()

    # The class.

    def _class(self) -> Block:
        model = self._model
        items: list[Item] = []
        body = model.function.body
        if _is_text(body[0]):
            items.append(Keep(body[0]))
            self._emitted.update(ast.walk(body[0]))
        items.append(self._init())
        if self._shares_predictions():
            items.append(self._predictions())
        if self._shares_loss():
            items.append(self._loss())
        items += [self._train_step(), self._test_step()]
        if model.predicted is not None:
            items.append(self._predict_step())
        if model.export_outputs is not None:
            items.append(self._exports(model.export_outputs))
        if model.training_hooks is not None:
            items.append(self._hooks(model.training_hooks))
        return Block(
            code(f"class {self._name}(tf_keras.Model):"), items, model.function
        )

    def _units(
        self, units: Iterable[Unit], replace: dict[ast.AST, Code] | None = None
    ) -> list[Item]:
        found: list[Item] = []
        for unit in units:
            found += self._comments(unit)
            counted = self._counted(unit)
            if counted is not None:
                found.append(self._new(self._updated(counted), unit))
                continue
            found.append(Keep(unit.statement, replace=dict(replace or {})))
            self._emit(unit.statement)
        return found

    def _counted(self, unit: Unit) -> Metric | None:
        """The metric that a statement makes."""
        value = getattr(unit.statement, "value", None)
        return next((m for m in self._model.metrics if m.call is value), None)

    def _comments(self, unit: Unit) -> list[Item]:
        """Comments above what is gone around a statement, once."""
        told = [s for s in unit.around if s not in self._told]
        self._told.update(told)
        return [Dropped(s) for s in told]

    def _emit(self, node: ast.AST) -> None:
        self._emitted.update(ast.walk(node))

    def _new(self, new: Code, unit: Unit | None = None, blank: bool = False) -> New:
        for node in new.nodes():
            self._emit(node)
        origin = unit.statement if unit is not None else None
        return New(code("\n", new) if blank else new, origin)

    def _init(self) -> Block:
        model = self._model
        items = self._units(model.network)
        # After the network, whose comments come first.
        after = [*self._optimizer(), *self._metrics()]
        read = {n.id for n in self._emitted if isinstance(n, ast.Name)}
        if self._reads_params():
            read.add(self._params)
        roles = [r for r in ("params", "config") if model.parameters.get(r) in read]
        parameters = ", ".join(
            ["self", self._features, *(model.parameters[r] for r in roles)]
        )
        outputs = ", ".join(model.outputs)
        if len(model.outputs) > 1:
            outputs = f"({outputs})"
        items.append(
            New(code(f"\nsuper().__init__(inputs={self._features}, outputs={outputs})"))
        )
        if self._reads_params():
            items.append(New(code(f"self.{self._params} = {self._params}")))
        return Block(code(f"def __init__({parameters}):"), [*items, *after])

    def _optimizer(self) -> list[Item]:
        update = self._model.update
        items = self._units(update.units)
        for name in sorted(update.schedules & self._names_of_steps()):
            items.append(New(code(f"self.{name} = {name}")))
        items.append(self._new(code("self.compile(optimizer=", update.optimizer, ")")))
        step = "tf.compat.v1.train.get_or_create_global_step()"
        for unit in update.units:
            value = getattr(unit.statement, "value", None)
            if self._is_step(value) and isinstance(unit.statement, ast.Assign):
                step = ast.unparse(unit.statement.targets[0])
        items.append(New(code(f"self.optimizer.iterations = {step}")))
        return items

    def _is_step(self, node: ast.AST | None) -> bool:
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) in table.GLOBAL_STEP
        )

    def _metrics(self) -> list[Item]:
        items: list[Item] = []
        items.append(New(code('\nself.mean_loss = tf_keras.metrics.Mean(name="loss")')))
        if self._model.gathered is not None:
            items.append(Dropped(self._model.gathered.statement))
        for metric in self._model.metrics:
            arguments: list[Argument] = list(metric.constructor)
            arguments.append(("name", repr_of(metric.key)))
            attribute = self._attribute(metric)
            made = laid_out(metric.row.target, arguments, len(attribute) + 12)
            items.append(self._new(code(f"self.{attribute} = ", made)))
            self.claimed[metric.call.func] = _METRIC
        return items

    def _attribute(self, metric: Metric) -> str:
        name = "".join(c if c.isalnum() else "_" for c in metric.key)
        if name in _TAKEN or name[:1].isdigit() or name in self._model.update.schedules:
            name = f"{name}_metric" if name[:1].isalpha() else f"metric_{name}"
        return name

    # Steps.

    def _names_of_steps(self) -> set[str]:
        return {
            name
            for unit in self._model.training
            for name in names.reads(unit.statement)
        }

    def _reads_params(self) -> bool:
        model = self._model
        nodes: list[ast.AST] = [
            u.statement
            for u in (*model.predictions, *model.training, *model.evaluation)
        ]
        nodes += [u.statement for u in model.update.gradients]
        nodes += [model.evaluated, model.train_loss]
        nodes += [model.predicted] if model.predicted is not None else []
        nodes += [a for m in model.metrics for a in m.arguments]
        return bool(self._params) and any(
            self._params in names.reads(node) for node in nodes
        )

    def _with_params(self, nodes: Iterable[ast.AST]) -> list[Item]:
        """`params = self.params` where some code reads it."""
        if self._params and any(self._params in names.reads(n) for n in nodes):
            return [New(code(f"{self._params} = self.{self._params}"))]
        return []

    def _data(self, nodes: Iterable[ast.AST], labelled: bool = True) -> list[Item]:
        """What a step begins with."""
        if labelled:
            data = f"{self._features}, {self._labels} = data"
        else:
            data = (
                f"{self._features}, _, _ = "
                "tf_keras.utils.unpack_x_y_sample_weight(data)"
            )
        return [New(code(data)), *self._with_params(nodes)]

    def _called(self, training: bool) -> New:
        outputs = ", ".join(self._model.outputs)
        return New(code(f"{outputs} = self({self._features}, training={training})"))

    def _train_step(self) -> Block:
        model = self._model
        update = model.update
        own = () if self._shares_loss() else model.loss
        units = (*own, *model.summaries, *update.gradients)
        nodes = [*(u.statement for u in (*model.loss, *units)), model.train_loss]
        labelled = any(self._labels in names.reads(node) for node in nodes)
        items = self._data([u.statement for u in units], labelled)
        inside: list[Item] = [self._called(True)]
        rates = self._rates(model.training)
        if self._shares_loss():
            inside.append(self._loss_call())
        else:
            inside += self._units(model.loss, rates)
        loss = "loss"
        if isinstance(model.train_loss, ast.Name):
            loss = model.train_loss.id
        else:
            inside.append(self._new(code("loss = ", model.train_loss)))
        inside.append(
            New(
                code(
                    "# Strategies add up the gradients of their replicas.\n"
                    f"scaled_loss = {loss} / "
                    "self.distribute_strategy.num_replicas_in_sync"
                )
            )
        )
        items.append(Block(code("with tf.GradientTape() as tape:"), inside))
        # Before the update: what they read of the step is what the update reads.
        items += self._units(model.summaries, rates)
        if model.named:
            items.append(
                New(
                    code(
                        "# Hooks ask for its tensors by their names.\n",
                        self._predictions_call(),
                    )
                )
            )
        items += self._gradients()
        items.append(New(code(f'return {{"loss": {loss}}}')))
        return Block(code("def train_step(self, data):"), items)

    def _rates(self, units: Iterable[Unit]) -> dict[ast.AST, Code]:
        """What training reads of schedules and metrics, which the class holds."""
        values = {
            ast.unparse(u.statement.targets[0]): metric
            for u in units
            if (metric := self._counted(u)) and isinstance(u.statement, ast.Assign)
        }
        read: dict[ast.AST, Code] = {
            node: code(f"self.{self._attribute(values[node.value.id])}.result()")
            for unit in units
            for node in ast.walk(unit.statement)
            if isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in values
        }
        return read | {
            node: code(f"self.{node.id}()")
            for unit in units
            for node in ast.walk(unit.statement)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in self._model.update.schedules
        }

    def _gradients(self) -> list[Item]:
        update = self._model.update
        apply = "self.optimizer.apply_gradients("
        if update.computed is None:
            origin = update.gradients[0] if update.gradients else None
            before = self._comments(origin) if origin is not None else []
            return [
                *before,
                New(
                    code(
                        "variables = self.trainable_variables\n"
                        "gradients = tape.gradient(scaled_loss, variables)\n"
                        f"{apply}zip(gradients, variables))"
                    ),
                    origin.statement if origin is not None else None,
                ),
            ]
        items: list[Item] = []
        for unit in update.gradients:
            items += self._comments(unit)
            if unit is update.gradients[-1]:
                given = names.argument(update.applied, "grads_and_vars", 0)
                assert given is not None
                items.append(self._new(code(apply, given, ")"), unit))
            elif any(node is update.computed for node in ast.walk(unit.statement)):
                items.append(self._computed(unit))
            else:
                items += self._units([unit])
        return items

    def _computed(self, unit: Unit) -> Item:
        """Where gradients are computed."""
        computed, statement = self._model.update.computed, unit.statement
        assert computed is not None and isinstance(statement, ast.Assign)
        if self._scopes.resolve(computed.func) == "tf.gradients":
            of = names.argument(computed, "xs", 1)
            assert of is not None
            new = code("tape.gradient(scaled_loss, ", of, ")")
            self._emit(statement)
            self._emitted.discard(computed.func)
            return Keep(statement, replace={computed: new})
        pair = _unzipped(statement)
        if pair is not None:
            gradients, variables = pair
            return New(
                code(
                    f"{variables} = self.trainable_variables\n"
                    f"{gradients} = tape.gradient(scaled_loss, {variables})"
                ),
                statement,
            )
        target = ast.unparse(statement.targets[0])
        return New(
            code(
                "variables = self.trainable_variables\n"
                f"{target} = list(zip(tape.gradient(scaled_loss, variables), variables))"
            ),
            statement,
        )

    def _test_step(self) -> Block:
        model = self._model
        own = [u for u in model.evaluation if u not in self._elsewhere()]
        nodes = [u.statement for u in own]
        arguments = [a for m in model.metrics for a in m.arguments]
        every = [*(u.statement for u in model.evaluation), *arguments, model.evaluated]
        labelled = any(self._labels in names.reads(node) for node in every)
        items = self._data([*nodes, *arguments, model.evaluated], labelled)
        items.append(self._called(False))
        units = list(model.evaluation)
        loss = model.loss[-1] if self._shares_loss() else None
        if loss is not None:
            units = [u for u in units if u is loss or u not in model.loss]
        final = model.predictions[-1] if self._shared_with_evaluation() else None
        if final is not None:
            rest = [u for u in units if u is not final and u is not loss]
            rest = _needed_by(rest, [*arguments, model.evaluated])
            units = [u for u in units if u is final or u is loss or u in rest]
        for unit in units:
            if unit is final:
                assert isinstance(model.predicted, ast.Name)
                called = self._predictions_call()
                items.append(New(code(f"{model.predicted.id} = ", called)))
            elif unit is loss:
                items.append(self._loss_call())
            else:
                items += self._units([unit])
        items.append(
            self._new(code("self.mean_loss.update_state(", model.evaluated, ")"))
        )
        for metric in model.metrics:
            items.append(self._new(self._updated(metric)))
        items.append(New(code("return {m.name: m.result() for m in self.metrics}")))
        return Block(code("def test_step(self, data):"), items)

    def _elsewhere(self) -> list[Unit]:
        """What evaluation needs and methods of its own do."""
        shared = list(self._model.loss) if self._shares_loss() else []
        if self._shared_with_evaluation():
            shared.append(self._model.predictions[-1])
        return shared

    def _updated(self, metric: Metric) -> Code:
        """A metric counts a batch."""
        cast = metric.row.cast
        given: list[Argument] = [
            ("", code("tf.cast(", a, f", {cast})") if cast and not self._is(a) else a)
            for a in metric.arguments
        ]
        return laid_out(f"self.{self._attribute(metric)}.update_state", given, 8)

    def _is(self, node: ast.expr) -> bool:
        """Whether an expression is a tensor of bools, as it is written."""
        return isinstance(node, ast.Call) and (
            self._scopes.resolve(node.func) in table.BOOLEAN
        )

    def _predict_step(self) -> Block:
        shares = self._shares_predictions()
        nodes = [] if shares else self._of_predictions()
        items = [*self._data(nodes, labelled=False), self._called(False)]
        if shares:
            items.append(New(code("return ", self._predictions_call())))
        else:
            items += self._returned()
        return Block(code("def predict_step(self, data):"), items)

    # Predictions.

    def _shared_with_evaluation(self) -> bool:
        """Whether evaluation reads the predictions as they are returned."""
        model = self._model
        return (
            bool(model.predictions)
            and isinstance(model.predicted, ast.Name)
            and model.predictions[-1] in model.evaluation
            and model.predicted.id in names.binds(model.predictions[-1].statement)
        )

    def _shares_predictions(self) -> bool:
        return self._shared_with_evaluation() or self._model.named

    def _of_predictions(self) -> list[ast.AST]:
        model = self._model
        assert model.predicted is not None
        return [*(u.statement for u in model.predictions), model.predicted]

    def _predictions_parameters(self) -> list[str]:
        model = self._model
        nodes = self._of_predictions()
        read = {n for node in nodes for n in names.reads(node)}
        return [n for n in (self._features, *model.outputs) if n in read]

    def _predictions_call(self) -> Code:
        return code(
            f"self.predictions_from({', '.join(self._predictions_parameters())})"
        )

    def _predictions(self) -> Block:
        nodes = self._of_predictions()
        parameters = ", ".join(["self", *self._predictions_parameters()])
        items = [*self._with_params(nodes), *self._returned()]
        return Block(code(f"def predictions_from({parameters}):"), items)

    def _returned(self) -> list[Item]:
        """The predictions' statements; the last is the return where it can be."""
        model = self._model
        units, last = list(model.predictions), model.predicted
        assert last is not None
        if units and isinstance(last, ast.Name):
            final = units[-1].statement
            if (
                isinstance(final, ast.Assign)
                and len(final.targets) == 1
                and isinstance(final.targets[0], ast.Name)
                and final.targets[0].id == last.id
            ):
                items = self._units(units[:-1])
                items += self._comments(units[-1])
                return [*items, self._new(code("return ", final.value), units[-1])]
        return [*self._units(units), self._new(code("return ", last))]

    def _shares_loss(self) -> bool:
        """Whether training and evaluation have the loss, of several statements, alike."""
        model = self._model
        loss = model.train_loss
        if not isinstance(loss, ast.Name) or len(model.loss) < 2:
            return False
        if not isinstance(model.evaluated, ast.Name) or model.evaluated.id != loss.id:
            return False
        if not all(unit in model.evaluation for unit in model.loss):
            return False
        inner = {n for u in model.loss for n in names.binds(u.statement)} - {loss.id}
        others: list[ast.AST] = [
            u.statement
            for u in (*model.summaries, *model.evaluation)
            if u not in model.loss
        ]
        others += [a for m in model.metrics for a in m.arguments]
        return not any(names.reads(node) & inner for node in others)

    def _loss_parameters(self) -> list[str]:
        model = self._model
        read = {n for u in model.loss for n in names.reads(u.statement)}
        return [n for n in (self._features, self._labels, *model.outputs) if n in read]

    def _loss_call(self) -> New:
        assert isinstance(self._model.train_loss, ast.Name)
        given = ", ".join(self._loss_parameters())
        return New(code(f"{self._model.train_loss.id} = self.loss_from({given})"))

    def _loss(self) -> Block:
        units = self._model.loss
        parameters = ", ".join(["self", *self._loss_parameters()])
        items = self._with_params([u.statement for u in units])
        final, name = units[-1].statement, self._model.train_loss
        assert isinstance(name, ast.Name)
        if (
            isinstance(final, ast.Assign)
            and isinstance(final.targets[0], ast.Name)
            and final.targets[0].id == name.id
        ):
            items += self._units(units[:-1])
            items += self._comments(units[-1])
            items.append(self._new(code("return ", final.value), units[-1]))
        else:
            items += [*self._units(units), New(code(f"return {name.id}"))]
        return Block(code(f"def loss_from({parameters}):"), items)

    def _exports(self, given: ast.expr) -> Block:
        predicted = self._model.predicted
        name = predicted.id if isinstance(predicted, ast.Name) else "predictions"
        return Block(
            code(f"def export_outputs(self, {name}):"),
            [self._new(code("return ", given))],
        )

    def _hooks(self, given: ast.expr) -> Block:
        loss = self._model.train_loss
        name = loss.id if isinstance(loss, ast.Name) else "loss"
        return Block(
            code(f"def training_hooks(self, {name}):"),
            [self._new(code("return ", given))],
        )

    # Around it.

    def _collections(self) -> None:
        """What steps read of TF1's collections is the model's own."""
        model = self._model
        for unit in (
            *model.training,
            *model.evaluation,
            *model.predictions,
            *model.update.gradients,
            *model.update.units,
        ):
            for node in ast.walk(unit.statement):
                if isinstance(node, ast.Call):
                    self._collection(node)

    def _collection(self, call: ast.Call) -> None:
        symbol = self._scopes.resolve(call.func)
        new = ""
        if symbol == table.TRAINABLE and not call.args and not call.keywords:
            new = "self.trainable_variables"
        elif symbol in table.GLOBAL_STEP:
            new = "tf.compat.v1.train.get_or_create_global_step()"
        elif symbol == table.REGULARIZATION[0] or symbol == table.COLLECTION:
            new = "self.losses"
        elif symbol == table.REGULARIZATION[1]:
            new = "tf.add_n(self.losses)"
        elif symbol == table.TOTAL_LOSS:
            new = f"tf.add_n([{self._collected_loss()}, *self.losses])"
        if new:
            self._plan.expressions[call] = code(new)
            self.claimed[call.func] = ("K105", f"now {new}")

    def _collected_loss(self) -> str:
        return next(
            ast.unparse(u.statement.targets[0])
            for u in self._model.training
            if isinstance(u.statement, ast.Assign)
            and isinstance(u.statement.value, ast.Call)
            and (self._scopes.resolve(u.statement.value.func) or "").startswith(
                "tf.losses."
            )
        )

    def _train(self, trained: Trained) -> None:
        """`Estimator(model_fn=...)` becomes the emitted module's, of the class."""
        call = trained.call
        arguments: list[tuple[str, ast.AST | Code | str]] = []
        for value in call.args:
            arguments.append(("", self._name if value is trained.model else value))
        for keyword in call.keywords:
            assert keyword.arg is not None
            if keyword.value is trained.model:
                arguments.append(("model", self._name))
            else:
                arguments.append((keyword.arg, keyword.value))
        new = laid_out(f"{table.MODULE}.Estimator", arguments, call.col_offset)
        self._plan.replace(call, new)
        self.claimed[call.func] = _TRAINS

    def _claim_rest(self) -> None:
        """Uses in what is gone."""
        for node in ast.walk(self._model.function):
            if isinstance(node, (ast.Attribute, ast.Name)):
                if node not in self._emitted and node not in self.claimed:
                    self.claimed[node] = _SPLIT
        for helper in self._model.helpers:
            for scope in helper.scopes:
                for item in scope.items:
                    for node in ast.walk(item.context_expr):
                        if isinstance(node, (ast.Attribute, ast.Name)):
                            self.claimed.setdefault(node, _SPLIT)


def _needed_by(units: Iterable[Unit], nodes: Iterable[ast.AST]) -> list[Unit]:
    """Units that some expressions need."""
    read = {n for node in nodes for n in names.reads(node)}
    found = []
    for unit in reversed(list(units)):
        if names.binds(unit.statement) & read:
            found.append(unit)
            read |= names.reads(unit.statement)
    return list(reversed(found))


def _unzipped(statement: ast.Assign) -> tuple[str, str] | None:
    """`gradients, variables = zip(*...)`."""
    target, value = statement.targets[0], statement.value
    if (
        isinstance(target, ast.Tuple)
        and len(target.elts) == 2
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "zip"
        and len(value.args) == 1
        and isinstance(value.args[0], ast.Starred)
    ):
        return ast.unparse(target.elts[0]), ast.unparse(target.elts[1])
    return None


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def repr_of(text: str) -> str:
    """A string in double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
