"""`model.train_on_batch` of a compiled model, as a step with a tape.

model.compile("adam", "mse")                optimizer = tf.keras.optimizers.Adam()
                                            loss_object = tf.keras.losses.Mean...()
loss = model.train_on_batch(x, y)           loss = train_on_batch(x, y)
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.frontends.keras_names import find_keras_name, makes_model
from migrate.normalise.feeds.view import View, flatten_expression
from migrate.normalise.text import Edit, Text
from migrate.rules.mistakes.mistake import find_binding, find_method
from migrate.tables.compiled_keras import ACCURACIES, LOSSES, METRICS, OPTIMIZERS

_COMPILE = ("optimizer", "loss", "metrics")
# What may be asked of a model that is not compiled any more.
_KEPT = frozenset(
    {"compile", "train_on_batch", "add", "build", "summary", "count_params", "layers"}
    | {"get_layer", "get_weights", "weights", "variables", "name"}
    | {"trainable_variables", "trainable_weights"}
)
_PENALTIES = ("activity_regularizer", "add_loss")


def write_step(text: Text) -> Text | None:
    """The text with a function in place of `train_on_batch`; None if there is none."""
    if ".train_on_batch(" not in text.source:
        return None
    view = View(text)
    calls = [
        n
        for n in view.scopes.walk()
        if isinstance(n, ast.Call) and find_method(n) == "train_on_batch"
    ]
    if len(calls) != 1:
        return None
    return _Compiled(view, calls[0]).rewrite()


class _Compiled:
    def __init__(self, view: View, call: ast.Call) -> None:
        self._view = view
        self._call = call

    def rewrite(self) -> Text | None:
        view, call = self._view, self._call
        assert isinstance(call.func, ast.Attribute)
        model = call.func.value
        made = find_binding(view.scopes, model)
        bound = names.bind_arguments(call, ("x", "y"))
        if made is None or not makes_model(view.scopes, made):
            return None
        if bound is None or len(bound) != 2 or not isinstance(model, ast.Name):
            return None
        compiled = self._compile(model.id)
        if compiled is None:
            return None
        statement, given = compiled
        if self._has_penalties_of_batches() or not self._is_only_called(model, made):
            return None
        scope = view.find_function(statement)
        indent = view.indent(statement)
        optimizer = self._write_optimizer(given["optimizer"])
        loss, kind = self._write_loss(given["loss"])
        metrics = self._write_metrics(given.get("metrics"), kind)
        if not optimizer or not loss or metrics is None:
            return None
        keeps: list[str] = []
        own = given["optimizer"]
        kept = ast.unparse(own) if isinstance(own, ast.Name) else ""
        if not kept:
            kept = view.choose_free_name("optimizer", scope)
            keeps.append(f"{indent}{kept} = {optimizer}")
        losses = view.choose_free_name("loss_object", scope)
        keeps.append(f"{indent}{losses} = {loss}")
        step = view.choose_free_name("train_on_batch", scope)
        value = f"{losses}(y, predictions)"
        if self._is_regularized():
            value += f" + sum({model.id}.losses)"
        body = [
            "",
            f"def {step}(x, y):",
            "    with tf.GradientTape() as tape:",
            f"        predictions = {model.id}(x, training=True)",
            f"        loss = {value}",
            f"    gradients = tape.gradient(loss, {model.id}.trainable_variables)",
            f"    {kept}.apply_gradients(zip(gradients, {model.id}.trainable_variables))",
            f"    return {'[' + ', '.join(['loss', *metrics]) + ']' if metrics else 'loss'}",
            "",
        ]
        lines = [*keeps, *(f"{indent}{line}" if line else "" for line in body)]
        text = view.text.apply_edits([Edit(call.func, step)])
        end = statement.end_lineno or statement.lineno
        origin = text.origins[statement.lineno - 1]
        return text.splice(statement.lineno, end, lines, [origin] * len(lines))

    def _is_only_called(self, model: ast.Name, made: ast.expr) -> bool:
        """Whether nothing asks the model for what compile gave it, as its optimizer."""
        scopes = self._view.scopes
        for node in scopes.walk():
            if not isinstance(node, ast.Name) or node.id != model.id:
                continue
            if (
                not isinstance(node.ctx, ast.Load)
                or find_binding(scopes, node) is not made
            ):
                continue
            around = scopes.parents[node]
            called = isinstance(around, ast.Call) and around.func is node
            asked = isinstance(around, ast.Attribute) and around.attr in _KEPT
            if not (called or asked):
                return False
        return True

    def _compile(self, model: str) -> tuple[ast.Expr, dict[str, ast.expr]] | None:
        """The one `model.compile(...)`, and what it is given."""
        view = self._view
        found = [
            n
            for n in view.scopes.walk()
            if isinstance(n, ast.Call)
            and find_method(n) == "compile"
            and names.find_key(n.func.value) == model  # type: ignore[attr-defined]
        ]
        if len(found) != 1:
            return None
        statement = view.scopes.parents[found[0]]
        bound = names.bind_arguments(found[0], _COMPILE)
        if not isinstance(statement, ast.Expr) or not view.text.is_alone(statement):
            return None
        if bound is None or not {"optimizer", "loss"} <= set(bound):
            return None
        return statement, bound

    def _write_optimizer(self, given: ast.expr) -> str:
        """Writes the optimizer's creation, or its name; "" if it is not known."""
        text = names.read_literal(given)
        if isinstance(text, str):
            known = OPTIMIZERS.get(text.lower())
            return f"tf.keras.optimizers.{known}()" if known else ""
        made = find_binding(self._view.scopes, given) or given
        if not isinstance(made, ast.Call):
            return ""
        if not find_keras_name(self._view.scopes, made.func).startswith("optimizers."):
            return ""
        return flatten_expression(self._view.text, given)

    def _write_loss(self, given: ast.expr) -> tuple[str, str]:
        """Writes the loss object's creation, and its class; "" if it is not known."""
        text = names.read_literal(given)
        if isinstance(text, str):
            known = LOSSES.get(text.lower(), "")
            return (f"tf.keras.losses.{known}()", known) if known else ("", "")
        made = find_binding(self._view.scopes, given) or given
        name = find_keras_name(
            self._view.scopes, made.func if isinstance(made, ast.Call) else made
        )
        module, _, kind = name.rpartition(".")
        if module != "losses":
            return "", ""
        if not isinstance(
            made, ast.Call
        ):  # tf.keras.losses.sparse_categorical_crossentropy
            known = LOSSES.get(kind, "")
            return (f"tf.keras.losses.{known}()", known) if known else ("", "")
        return flatten_expression(self._view.text, made), kind

    def _write_metrics(self, given: ast.expr | None, kind: str) -> list[str] | None:
        """Writes each metric's value for one batch; None if one is not known."""
        if given is None or (isinstance(given, ast.Constant) and given.value is None):
            return []
        if not isinstance(given, (ast.List, ast.Tuple)):
            return None
        found = []
        for metric in given.elts:
            name = names.read_literal(metric)
            if not isinstance(name, str):
                return None
            function = METRICS.get(name)
            if name in ("accuracy", "acc"):
                function = ACCURACIES.get(kind)
            if function is None:
                return None
            of_each = f"tf.keras.metrics.{function}(y, predictions)"
            found.append(f"tf.reduce_mean({of_each})")
        return found

    def _find_keywords(self) -> set[str]:
        return {
            n.arg
            for n in self._view.scopes.walk()
            if isinstance(n, ast.keyword) and n.arg
        }

    def _is_regularized(self) -> bool:
        return any(k.endswith("_regularizer") for k in self._find_keywords())

    def _has_penalties_of_batches(self) -> bool:
        """Whether the model may have penalties that are not only of its weights."""
        return _PENALTIES[0] in self._find_keywords() or any(
            isinstance(n, ast.Attribute) and n.attr == _PENALTIES[1]
            for n in self._view.scopes.walk()
        )
