"""Writes a model_fn as a class of tf_keras.Model, and the Estimators that train it."""

from __future__ import annotations

import ast

from migrate.backends.keras import layers
from migrate.backends.keras.descriptions import describe_class
from migrate.backends.keras.estimators import rewrite_estimators
from migrate.backends.keras.evaluation import Evaluation
from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.backends.keras.networks import (
    claim_devices,
    claim_removed_code,
    plan_layers,
)
from migrate.facts import names
from migrate.facts.names import is_docstring
from migrate.plan import Block, Item, Keep, New
from migrate.program.code import Code, make_code
from migrate.program.keras_model import Total
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table

_SPLIT = ("K101", "the model_fn is a Keras model: its modes are the steps of a class")
_ADDED_UP = (
    "# As TF1 did with tf.gradients: replicas add up their gradients and losses.\n"
    "replicas_add_up = True"
)
_STEP = ("K105", "the learning rate schedule gets the step directly")


class KerasRewrite(Evaluation):
    """Plans one model_fn.

    Args:
      flow: the way by which Estimators get it.
      logged: tensors of hooks; callbacks get their names instead.

    Attributes:
      claimed: node -> (code, reason).
    """

    def run(self) -> None:
        model, plan = self._model, self._plan
        calls = list(layers.find_calls(model))
        if model.called is not None:
            calls = self._write_layer_calls()
        for layer in model.layers:
            for value in layer.carried:  # Also those in argument scopes.
                self._emit(value)
        here = frozenset(self._scopes.walk())
        self.claimed |= plan_layers(model, calls, self._scopes, plan, here)
        self._rewrite_collections()
        plan.statements[model.function] = [self._write_class()]
        self._rewrite_mentions()
        self.claimed |= rewrite_estimators(self._flow, self._name, plan)
        plan.imports.append("import tf_keras")
        self._claim_rest()

    def _write_class(self) -> Block:
        model = self._model
        items: list[Item] = []
        if self._adds_up():
            items.append(New(make_code(_ADDED_UP)))
        items.append(self._write_init())
        text = model.function.body[0]
        if is_docstring(text):
            items.insert(0, describe_class(text, self._order))
            self._emitted.update(walk_breadth_first(text))
        if model.called is not None:
            items.append(self._write_call(model.called))
        if self._shares_predictions():
            items.append(self._write_predictions())
        if self._shares_loss():
            items.append(self._write_loss())
        items.append(self._write_train_step())
        if model.evaluated is not None:
            items.append(self._write_test_step())
            if model.counter is not None:
                items.append(self._write_counter(model.counter))
        if model.predicted is not None:
            items.append(self._write_predict_step())
        if model.exports is not None:
            items.append(self._write_exports(model.exports))
        items += [self._write_hooks(hooks) for hooks in model.hooks]
        return Block(
            make_code(f"class {self._name}(tf_keras.Model):"),
            items,
            model.function,
            replace=self._map_kept_names(),
        )

    def _rewrite_collections(self) -> None:
        """Rewrites reads of TF1's collections in steps to attributes of the model."""
        model = self._model
        units = (
            *model.training,
            *model.evaluation,
            *model.predictions,
            *model.update.gradients,
            *model.update.units,
        )
        given = [model.train_loss, model.reported, model.evaluated]
        counts = [v for metric in model.metrics for v in metric.arguments]
        for code_ in (*(u.statement for u in units), *given, *counts):
            for node in walk_breadth_first(code_) if code_ is not None else ():
                if isinstance(node, ast.Call):
                    self._rewrite_collection(node)
        self._rewrite_rates()

    def _rewrite_rates(self) -> None:
        """Rewrites the step of schedules, also in functions that make rates."""
        update = self._model.update
        for call, step in update.casts.items():
            self._plan.expressions[call] = make_code(step)
            self.claimed[call.func] = _STEP
            for value in (*call.args[1:], *(k.value for k in call.keywords)):
                self.claimed.update({n: _STEP for n in walk_breadth_first(value)})
        here = frozenset(self._scopes.walk())
        for function in update.functions:
            # In another file it asks for the step as before. The step already exists then.
            for node in walk_breadth_first(function) if function in here else ():
                if isinstance(node, ast.Call):
                    if self._scopes.resolve(node.func) in table.GLOBAL_STEP:
                        self._rewrite_collection(node)

    def _rewrite_collection(self, call: ast.Call) -> None:
        symbol = self._scopes.resolve(call.func)
        new = ""
        if call in self._model.totals:
            total = self._write_total(self._model.totals[call])
            self._plan.expressions[call] = total
            self.claimed[call.func] = ("K105", "now a sum of names")
        if symbol == table.TRAINABLE and not call.args and not call.keywords:
            new = "self.trainable_variables"
        elif symbol in table.GLOBAL_STEP:
            new = "tf.compat.v1.train.get_or_create_global_step()"
        elif symbol == table.REGULARIZATION[0] or symbol == table.COLLECTION:
            new = "self.losses"
        elif symbol == table.REGULARIZATION[1]:
            new = "tf.add_n(self.losses)"
        if new:
            self._plan.expressions[call] = make_code(new)
            self.claimed[call.func] = ("K105", f"now {new}")

    def _write_total(self, total: Total) -> Code:
        """Writes the sum or list of the graph's losses, by their names."""
        losses = [*total.losses, *(["*self.losses"] if total.penalised else [])]
        listed = f"[{', '.join(losses)}]"
        if not total.summed:
            return make_code(listed)
        if total.name is None:
            return make_code(f"tf.add_n({listed})")
        return make_code(f"tf.add_n({listed}, name=", total.name, ")")

    def _rewrite_mentions(self) -> None:
        """Replaces names of the model_fn by the name of the class."""
        for name in self._flow.mentions:
            self._plan.replace(name, make_code(self._name))
        for function, call in self._flow.lambdas:
            if isinstance(function, ast.Lambda):
                kept, made = self._pass_on_parameters(function, call)
                own = ", ".join(argument.arg for argument, _ in kept)
                self._plan.replace(function, make_code(f"lambda {own}: ", made))
            else:
                self._plan.statements[function] = [self._write_maker(function, call)]

    def _write_maker(self, function: ast.FunctionDef, call: ast.Call) -> Block:
        """Writes a function that only called the model_fn, so that it makes the model."""
        kept, made = self._pass_on_parameters(function, call)
        own = ", ".join(
            argument.arg + (f"={ast.unparse(default)}" if default is not None else "")
            for argument, default in kept
        )
        *text, returned = function.body
        items: list[Item] = [Keep(statement) for statement in text]
        items.append(New(make_code("return ", made), returned))
        for argument in function.args.args:
            self._claim(argument.annotation)
        self._claim(function.returns)
        return Block(make_code(f"def {function.name}({own}):"), items, function)

    def _claim(self, node: ast.AST | None) -> None:
        """Claims the nodes of an annotation, which is not written again."""
        for inner in walk_breadth_first(node) if node is not None else ():
            self.claimed[inner] = _SPLIT

    def _pass_on_parameters(
        self, function: ast.Lambda | ast.FunctionDef, call: ast.Call
    ) -> tuple[list[tuple[ast.arg, ast.expr | None]], Code]:
        """Returns the remaining parameters, with their defaults, and the call of the class.

        Labels and mode are left out, and all that the class is not made with.
        """
        arguments = function.args
        absent: list[ast.expr | None] = [None]
        defaults = absent * (len(arguments.args) - len(arguments.defaults))
        own = list(zip(arguments.args, [*defaults, *arguments.defaults]))
        bound = names.bind_call(call, self._model.function) or {}
        given: list[Argument] = []
        read: set[str] = set()
        for index, name in enumerate(self._order):
            if name not in bound:
                continue
            by_position = len(given) == index and bound[name] in call.args
            given.append(("" if by_position else name, bound[name]))
            read |= names.find_reads(bound[name])
        made = laid_out(self._name, given, function.col_offset)
        return [pair for pair in own if pair[0].arg in read], made

    def _claim_rest(self) -> None:
        """Claims the uses in removed code."""
        placed = claim_devices(self._model.function, self._scopes)
        self.claimed |= {f: why for f, why in placed.items() if f not in self._emitted}
        for node in walk_breadth_first(self._model.function):
            if isinstance(node, (ast.Attribute, ast.Name)):
                if node not in self._emitted and node not in self.claimed:
                    self.claimed[node] = _SPLIT
        here = frozenset(self._scopes.walk())
        self.claimed = {
            **claim_removed_code(self._model, self._scopes, here),
            **self.claimed,
        }
