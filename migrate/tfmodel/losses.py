"""`tf.losses`: losses that collect themselves."""

from __future__ import annotations

from migrate.graph.shapes import Shape
from migrate.graph.values import Const, Unknown, Value
from migrate.tfmodel import collections_of, graphs, more_rules, rules, tensors
from migrate.tfmodel.registry import FUNCTIONS, Call, label_of

# Function -> (the name of its scope, the argument whose type the loss has).
_LOSSES = {
    "tf.losses.absolute_difference": ("absolute_difference", "predictions"),
    "tf.losses.cosine_distance": ("cosine_distance_loss", "predictions"),
    "tf.losses.hinge_loss": ("hinge_loss", "logits"),
    "tf.losses.huber_loss": ("huber_loss", "predictions"),
    "tf.losses.log_loss": ("log_loss", "predictions"),
    "tf.losses.mean_squared_error": ("mean_squared_error", "predictions"),
    "tf.losses.mean_pairwise_squared_error": (
        "mean_pairwise_squared_error",
        "predictions",
    ),
    "tf.losses.sigmoid_cross_entropy": ("sigmoid_cross_entropy_loss", "logits"),
    "tf.losses.softmax_cross_entropy": ("softmax_cross_entropy_loss", "logits"),
    "tf.losses.sparse_softmax_cross_entropy": (
        "sparse_softmax_cross_entropy_loss",
        "logits",
    ),
    "tf.losses.compute_weighted_loss": ("weighted_loss", "losses"),
    "tf.contrib.losses.absolute_difference": ("absolute_difference", "predictions"),
    "tf.contrib.losses.log_loss": ("log_loss", "predictions"),
    "tf.contrib.losses.mean_squared_error": ("mean_squared_error", "predictions"),
    "tf.contrib.losses.sigmoid_cross_entropy": ("sigmoid_cross_entropy_loss", "logits"),
    "tf.contrib.losses.softmax_cross_entropy": ("softmax_cross_entropy_loss", "logits"),
    "tf.contrib.losses.sparse_softmax_cross_entropy": (
        "sparse_softmax_cross_entropy_loss",
        "logits",
    ),
    "tf.contrib.losses.compute_weighted_loss": ("weighted_loss", "losses"),
}


def _register(symbol: str, scope: str, argument: str) -> None:
    def handler(call: Call) -> Value:
        for value in call.given.values():
            if isinstance(value, Unknown):
                return value
        about = tensors.about(call.m, call.get(argument))
        given = call.text("scope")
        whole = graphs.unique(call.m, given or scope)
        shape = _shape(call, argument)
        made = call.tensor(call.node(), about.dtype, shape, whole and f"{whole}/value")
        key = call.get("loss_collection")
        name = collections_of.LOSSES
        if "loss_collection" in call.given:
            name = (
                key.value
                if isinstance(key, Const) and isinstance(key.value, str)
                else ""
            )
        if name:
            graphs.collect(call.m, name, made)
        return made

    FUNCTIONS[label_of(symbol)] = handler


def _shape(call: Call, argument: str) -> Shape | None:
    """A number, but for a reduction that is none."""
    reduction = call.get("reduction")
    if reduction == Const("none"):
        if argument == "logits" and "sparse" in call.symbol:
            return rules.shape_of(call, "labels")
        if "softmax" in call.symbol:
            return more_rules.infer_cross_entropy_shape(call, argument)
        return rules.shape_of(call, argument)
    return ()


for _symbol, (_scope, _argument) in _LOSSES.items():
    _register(_symbol, _scope, _argument)
