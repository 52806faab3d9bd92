"""Classifies Keras's models and layers: made at build time, applied in the step."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.program import ir
from migrate.program.binding_time.layers import Layers
from migrate.program.ir import Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_graphs as table

_PLAIN = (
    "Compute the loss and the update with TensorFlow functions, from the "
    "model's output."
)


class KerasObjects(Layers):
    """Classifies calls of `tf.keras` and of methods of models."""

    def _classify_keras_call(self, call: ast.Call, symbol: str) -> Kind | None:
        """Returns the kind of the result of a `tf.keras` name; None for an operation."""
        inside = self._classify_arguments(call)
        if symbol in table.INPUTS:
            if names.is_given(names.find_argument(call, "tensor")):
                self._refuse_keras(
                    call, "the Keras input is a tensor of the graph", symbol
                )
            return Kind.SYMBOLIC
        if table.makes_layer(symbol):
            self._check_layer(call, symbol, inside)
            return Kind.LAYER
        if symbol in table.MODELS or symbol.startswith("tf.keras.applications."):
            if inside in (*ir.STEP_KINDS, Kind.VARIABLE):
                self._refuse_keras(
                    call,
                    "the program makes a Keras model from tensors of the graph",
                    symbol,
                )
            return Kind.MODEL
        if inside is Kind.SYMBOLIC and table.calls_layer(symbol):
            return Kind.SYMBOLIC
        if symbol in table.STATEFUL or not (
            symbol.startswith(table.PLAIN) or table.calls_layer(symbol)
        ):
            name = symbol.removeprefix("tf.keras.")
            self._refuse_keras(
                call, f"`{name}` works on a graph and a session of Keras", symbol
            )
        elif symbol.startswith("tf.keras.metrics.") and _is_class(symbol):
            self._refuse_keras(call, "a metric of Keras counts in variables", symbol)
        return None

    def _check_layer(self, call: ast.Call, symbol: str, inside: Kind) -> None:
        if inside in ir.STEP_KINDS:
            self._refuse_keras(
                call,
                "the program makes a Keras layer from tensors of the graph",
                symbol,
            )
        if symbol in table.UPDATING:
            self.diagnostics.refuse(
                "D156",
                call,
                "in TensorFlow 1, Keras moved its averages only in runs of "
                "`model.updates`. In TensorFlow 2 it moves them in every call that "
                "trains",
                "Use tf.layers.batch_normalization, and run UPDATE_OPS.",
                symbol,
            )
        elif symbol in table.RECURRENT:
            self.diagnostics.refuse(
                "D156",
                call,
                "recurrent layers of TensorFlow 2 have other defaults, or keep a state",
                "Use the cells of tf.nn.rnn_cell, which the tool carries over.",
                symbol,
            )
        if any(
            names.is_given(names.find_argument(call, a))
            for a in ("activity_regularizer",)
        ):
            self.diagnostics.refuse(
                "D156", call, "the layer has an activity penalty", _PLAIN, symbol
            )
        if any(self.scope_names):
            self._refuse_keras(
                call,
                "the program makes a Keras layer in a scope, and the names of its "
                "variables contain the scope",
                symbol,
            )

    def _find_keras_subclass(self, call: ast.expr) -> ast.ClassDef | None:
        """Returns the program's own Keras class if a call makes an object of it."""
        owner = self._find_instance_class(call)
        if owner is None or not any(
            (symbol := self.scopes.resolve(base) or "") in table.MODELS
            or table.makes_layer(symbol)
            for base in owner.bases
        ):
            return None
        return owner

    def _classify_subclass(self, call: ast.Call) -> Kind:
        """Classifies an object of the program's own Keras class, which makes no graph."""
        inside = self._classify_arguments(call)
        owner = self._find_keras_subclass(call)
        assert owner is not None
        if inside in (*ir.STEP_KINDS, Kind.VARIABLE):
            self._refuse_keras(
                call, "the program makes a Keras model from tensors of the graph"
            )
        for node in walk_breadth_first(owner):
            if not isinstance(node, ast.Call):
                continue
            symbol = self.scopes.resolve(node.func) or ""
            if symbol in table.UPDATING | table.RECURRENT:
                self._check_layer(node, symbol, Kind.HOST)
            elif symbol.startswith(table.OF_GRAPHS):
                self._refuse_keras(
                    node, "a class of Keras that builds graph of TensorFlow 1", symbol
                )
        return Kind.MODEL

    def _refuse_keras(self, node: ast.expr, reason: str, symbol: str = "") -> None:
        self.diagnostics.refuse("D156", node, reason, _PLAIN, symbol)

    def _classify_applied(self, call: ast.Call) -> Kind:
        """Returns the kind of the result of a model or layer."""
        inside = self._classify_arguments(call)
        return Kind.SYMBOLIC if inside is Kind.SYMBOLIC else Kind.TENSOR

    def _classify_model_method(self, call: ast.Call, method: str) -> Kind:
        """Returns the kind of the result of a model's method, by its name."""
        inside = self._classify_arguments(call)
        if method in table.MAKES:
            if inside in ir.STEP_KINDS:
                self._refuse_keras(
                    call, "the program makes a Keras model from tensors of the graph"
                )
            return Kind.MODEL
        if method == "call":
            return self._classify_applied(call)
        if method == "get_layer":
            return Kind.LAYER
        if method in table.KNOWN:
            return Kind.HOST
        self._refuse_keras(
            call,
            f"the program calls `{method}` of a Keras model, and it has a session "
            "of its own",
        )
        return Kind.HOST

    def _classify_model_attribute(self, node: ast.Attribute) -> Kind:
        if node.attr in table.VARIABLES:
            return self.listed
        if node.attr == "losses":
            return Kind.TENSOR
        if node.attr == "layers":
            return Kind.LAYER
        if node.attr in table.KNOWN | table.MAKES | {"get_layer", "call"}:
            return Kind.HOST
        self._refuse_keras(
            node, f"`{node.attr}` of a Keras model belongs to a graph of Keras"
        )
        return Kind.HOST

    def _check_symbolic(self, flow: ir.Flow) -> None:
        """Refuses steps that compute with the symbolic inputs of a model."""
        if flow.kind not in (*ir.STEP_KINDS, Kind.PURE):
            return
        for node in walk_breadth_first(flow.statement):
            if (
                isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and self.environment.get(names.find_key(node) or "") is Kind.SYMBOLIC
            ):
                self._refuse_keras(
                    node,
                    f"`{ast.unparse(node)}` belongs to a Keras model and also to "
                    "the program's own graph",
                )
                return


def _is_class(symbol: str) -> bool:
    name = symbol.rpartition(".")[2]
    return name[:1].isupper() and not name.isupper()  # `MSE` is a function.
