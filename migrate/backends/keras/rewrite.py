"""A model_fn as a class of tf_keras.Model, and the Estimators that train it."""

from __future__ import annotations

import ast

from migrate.backends.keras import layers
from migrate.backends.keras.estimators import trained
from migrate.backends.keras.evaluation import Evaluation
from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import call as laid_out
from migrate.backends.keras.networks import of_what_is_gone, plan_layers
from migrate.frontends.model_fn.calls import bound_call
from migrate.plan import Block, Item, Keep
from migrate.program.ir import Code, code
from migrate.tables import keras_models as table

_SPLIT = ("K101", "the model_fn is a Keras model: its modes are the steps of a class")
_STEP = ("K105", "a schedule takes the step as it is")


class KerasRewrite(Evaluation):
    """Plans one model_fn.

    Args:
      flow: how Estimators come by it.
      logged: tensors that hooks are given, of which callbacks are told the names.

    Attributes:
      claimed: node -> (code, reason).
    """

    def run(self) -> None:
        model, plan = self._model, self._plan
        calls = list(layers.calls(model, self._scopes))
        if model.called is not None:
            calls = self._layer_calls()
        for layer in model.layers:
            for value in layer.carried:  # Also of argument scopes.
                self._emit(value)
        here = frozenset(self._scopes.walk())
        self.claimed |= plan_layers(model, calls, self._scopes, plan, here)
        self._collections()
        plan.statements[model.function] = [self._class()]
        self._mentions()
        self.claimed |= trained(self._flow, self._name, plan)
        plan.imports.append("import tf_keras")
        self._claim_rest()

    def _class(self) -> Block:
        model = self._model
        items: list[Item] = []
        body = model.function.body
        if _is_text(body[0]):
            items.append(Keep(body[0]))
            self._emitted.update(ast.walk(body[0]))
        items.append(self._init())
        if model.called is not None:
            items.append(self._call(model.called))
        if self._shares_predictions():
            items.append(self._predictions())
        if self._shares_loss():
            items.append(self._loss())
        items.append(self._train_step())
        if model.evaluated is not None:
            items.append(self._test_step())
            if model.counter is not None:
                items.append(self._counts(model.counter))
        if model.predicted is not None:
            items.append(self._predict_step())
        if model.export_outputs is not None:
            items.append(self._exports(model.export_outputs))
        items += [self._hooks(hooks) for hooks in model.hooks]
        return Block(
            code(f"class {self._name}(tf_keras.Model):"),
            items,
            model.function,
            replace=self._kept(),
        )

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
        self._of_rates()

    def _of_rates(self) -> None:
        """A schedule follows the step as it is, also in functions that make rates."""
        update = self._model.update
        for call, step in update.casts.items():
            self._plan.expressions[call] = code(step)
            self.claimed[call.func] = _STEP
            for value in (*call.args[1:], *(k.value for k in call.keywords)):
                self.claimed.update({n: _STEP for n in ast.walk(value)})
        for function in update.functions:
            for node in ast.walk(function):
                if isinstance(node, ast.Call):
                    if self._scopes.resolve(node.func) in table.GLOBAL_STEP:
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

    def _mentions(self) -> None:
        """What named the model_fn names the class."""
        for name in self._flow.mentions:
            self._plan.replace(name, code(self._name))
        for function, call in self._flow.lambdas:
            self._plan.replace(function, self._lambda(function, call))

    def _lambda(self, function: ast.Lambda, call: ast.Call) -> Code:
        """Without labels and mode, and what the class is not made with."""
        own = [a.arg for a in function.args.args]
        bound = bound_call(call, self._model.function) or {}
        kept = [name for name in own if name in self._order]
        given: list[Argument] = []
        for index, name in enumerate(self._order):
            by_position = len(given) == index and bound[name] in call.args
            given.append(("" if by_position else name, bound[name]))
        made = laid_out(self._name, given, function.col_offset)
        return code(f"lambda {', '.join(kept)}: ", made)

    def _claim_rest(self) -> None:
        """Uses in what is gone."""
        for node in ast.walk(self._model.function):
            if isinstance(node, (ast.Attribute, ast.Name)):
                if node not in self._emitted and node not in self.claimed:
                    self.claimed[node] = _SPLIT
        here = frozenset(self._scopes.walk())
        self.claimed = {**of_what_is_gone(self._model, here), **self.claimed}


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
