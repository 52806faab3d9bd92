"""Layers of tf.contrib.layers, and the Keras layers that compute the same.

Their variables have other names than Keras's (`weights`, `biases`), so that layers with
a kernel are the emitted module's; what differs beside is in the rows: a default
activation, a rate for what is kept, a variance without Bessel's correction.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.tables.layers import LayerRow

_MODULE = "keras_estimator"
# Lists of the graph that nothing of a Keras model reads.
_LISTS = ("variables_collections", "outputs_collections")


@dataclasses.dataclass(frozen=True)
class ContribRow(LayerRow):
    """One function of `tf.contrib.layers`.

    Attributes:
      renamed: its parameters that Keras calls otherwise.
      defaults: Keras's arguments where the call says nothing.
      inverted: the argument that is 1 minus what the call gives.
      refused: parameters of which Keras has none.
      numbered: whether Keras counts unnamed ones under the same name.
    """

    renamed: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    inverted: str = ""
    refused: tuple[str, ...] = ()
    numbered: bool = False

    def keras(self, bound: dict[str, ast.expr]) -> dict[str, ast.expr] | None:
        """Arguments by Keras's names; None where Keras has none for one that is given."""
        given = {
            name: value
            for name, value in bound.items()
            if name not in (*_LISTS, *self.refused, "reuse") or not _is_none(value)
        }
        if set(given) & {*_LISTS, *self.refused}:
            return None
        names = dict(self.renamed)
        return {names.get(name, name): value for name, value in given.items()}

    def texts(self, bound: dict[str, ast.expr]) -> tuple[tuple[str, str], ...]:
        """What else Keras's layer is given, by name.

        Args:
          bound: what `keras` returned.
        """
        found = [(name, text) for name, text in self.defaults if name not in bound]
        if "bias_initializer" in bound and _is_none(bound["bias_initializer"]):
            found.append(("use_bias", "False"))
        return tuple(found)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


_WEIGHTS = (
    "activation_fn",
    "normalizer_fn",
    "normalizer_params",
    "weights_initializer",
    "weights_regularizer",
    "biases_initializer",
    "biases_regularizer",
    "reuse",
    "variables_collections",
    "outputs_collections",
    "trainable",
    "scope",
)
_RENAMED = (
    ("activation_fn", "activation"),
    ("biases_initializer", "bias_initializer"),
    ("biases_regularizer", "bias_regularizer"),
    ("is_training", "training"),
    ("scope", "name"),
    ("weights_initializer", "kernel_initializer"),
    ("weights_regularizer", "kernel_regularizer"),
)
_NORMALIZER = ("normalizer_fn", "normalizer_params")
_RELU = ("activation", "tf.nn.relu")

_CONV2D = (
    "num_outputs",
    "kernel_size",
    "stride",
    "padding",
    "data_format",
    "rate",
    *_WEIGHTS,
)


def _conv2d(name: str) -> ContribRow:
    return ContribRow(
        f"tf.contrib.layers.{name}",
        (),
        f"{_MODULE}.Conv",
        _CONV2D,
        default_name="Conv",
        renamed=(
            *_RENAMED,
            ("num_outputs", "filters"),
            ("rate", "dilation_rate"),
            ("stride", "strides"),
        ),
        defaults=(("padding", '"same"'), _RELU),
        refused=(*_NORMALIZER, "data_format"),
    )


_ROWS = (
    ContribRow(
        "tf.contrib.layers.fully_connected",
        (),
        f"{_MODULE}.FullyConnected",
        ("num_outputs", *_WEIGHTS),
        default_name="fully_connected",
        renamed=(*_RENAMED, ("num_outputs", "units")),
        defaults=(_RELU,),
        refused=_NORMALIZER,
        numbered=True,
    ),
    *(_conv2d(name) for name in ("conv2d", "convolution2d")),
    ContribRow(
        "tf.contrib.layers.batch_norm",
        (),
        f"{_MODULE}.BatchNorm",
        (
            "decay",
            "center",
            "scale",
            "epsilon",
            "activation_fn",
            "param_initializers",
            "param_regularizers",
            "updates_collections",
            "is_training",
            "reuse",
            "variables_collections",
            "outputs_collections",
            "trainable",
            "batch_weights",
            "fused",
            "data_format",
            "zero_debias_moving_mean",
            "scope",
            "renorm",
        ),
        ("training", "updates_collections", "fused"),
        default_name="BatchNorm",
        renamed=(("decay", "momentum"), ("is_training", "training"), ("scope", "name")),
        defaults=(("momentum", "0.999"), ("scale", "False")),
        refused=(
            "activation_fn",
            "param_initializers",
            "param_regularizers",
            "batch_weights",
            "data_format",
            "zero_debias_moving_mean",
            "renorm",
        ),
    ),
    ContribRow(
        "tf.contrib.layers.dropout",
        (),
        "tf_keras.layers.Dropout",
        (
            "keep_prob",
            "noise_shape",
            "is_training",
            "outputs_collections",
            "scope",
            "seed",
        ),
        ("training",),
        default_name="dropout",
        has_weights=False,
        seeded=f"{_MODULE}.Dropout",
        renamed=(*_RENAMED, ("keep_prob", "rate")),
        defaults=(("rate", "0.5"),),
        inverted="rate",
    ),
    ContribRow(
        "tf.contrib.layers.flatten",
        (),
        "tf_keras.layers.Flatten",
        ("outputs_collections", "scope"),
        default_name="flatten",
        has_weights=False,
        renamed=_RENAMED,
    ),
    ContribRow(
        "tf.contrib.layers.max_pool2d",
        (),
        "tf_keras.layers.MaxPooling2D",
        (
            "kernel_size",
            "stride",
            "padding",
            "data_format",
            "outputs_collections",
            "scope",
        ),
        default_name="max_pooling2d",
        has_weights=False,
        renamed=(*_RENAMED, ("kernel_size", "pool_size"), ("stride", "strides")),
        defaults=(("strides", "2"),),
        refused=("data_format",),
    ),
)

LAYERS: dict[str, ContribRow] = {row.function: row for row in _ROWS}
