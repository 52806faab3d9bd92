"""Layers of tf.contrib.layers, and the Keras layers that compute the same.

Their variables have other names than Keras's (`weights`, `biases`), so that layers with
a kernel are the emitted module's; what differs beside is in the rows: a default
activation, a rate for what is kept, a variance without Bessel's correction. slim has
the same functions under the same names.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.names import is_none_constant
from migrate.tables.layers import LayerRow

_MODULE = "keras_estimator"
# Lists of the graph that nothing of a Keras model reads.
_LISTS = ("variables_collections", "outputs_collections")


@dataclasses.dataclass(frozen=True)
class ContribRow(LayerRow):
    """One function of `tf.contrib.layers`.

    Attributes:
      renamed: its parameters that Keras calls otherwise.
      inverted: the argument that is 1 minus what the call gives.
      refused: parameters of which Keras has none.
      numbered: whether Keras counts unnamed ones under the same name.
      fixed: the argument that the function gives by itself, as contrib's `linear` does.
    """

    renamed: tuple[tuple[str, str], ...] = ()
    inverted: str = ""
    refused: tuple[str, ...] = ()
    numbered: bool = False
    fixed: str = ""

    @property
    def kind(self) -> str:
        """Returns the name by which an argument scope knows the function, whatever its
        alias.
        """
        return _KINDS.get(_find_name(self.function), _find_name(self.function))

    def map_keras_arguments(
        self, bound: dict[str, ast.expr]
    ) -> dict[str, ast.expr] | None:
        """Arguments by Keras's names; None where Keras has none for one that is given."""
        given = {
            name: value
            for name, value in bound.items()
            if name not in (*_LISTS, *self.refused, "reuse")
            or not (is_none_constant(value) or _is_first_format(name, value))
        }
        if set(given) & {*_LISTS, *self.refused}:
            return None
        names = dict(self.renamed)
        return {names.get(name, name): value for name, value in given.items()}

    def list_texts(self, bound: dict[str, ast.expr]) -> tuple[tuple[str, str], ...]:
        """Returns the other arguments that Keras's layer gets, as (name, text).

        Args:
          bound: what `keras` returned.
        """
        found = super().list_texts(bound)
        if "bias_initializer" in bound and is_none_constant(bound["bias_initializer"]):
            found += (("use_bias", "False"),)
        return found


def _is_first_format(name: str, node: ast.expr) -> bool:
    """Whether an argument says that channels come last, as without it."""
    if name != "data_format":
        return False
    return isinstance(node, ast.Constant) and node.value == "NHWC"


def _find_name(symbol: str) -> str:
    return symbol.rpartition(".")[2]


# Aliases and partial functions -> the function that they call.
_KINDS = {
    "convolution2d": "conv2d",
    "convolution2d_transpose": "conv2d_transpose",
    "separable_convolution2d": "separable_conv2d",
    **dict.fromkeys(("elu", "linear", "relu", "relu6"), "fully_connected"),
}
# Function -> the name that contrib's `repeat` and `stack` give its layers: its Python name.
PYTHON_NAMES = {
    "conv2d": "convolution2d",
    "conv2d_transpose": "convolution2d_transpose",
    "separable_conv2d": "separable_convolution2d",
}


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
# Functions that a layer applies between its product and its activation.
NORMALIZER = ("normalizer_fn", "normalizer_params")
_RELU = ("activation", "tf.nn.relu")

_OF_CONVOLUTIONS = (
    *_RENAMED,
    ("num_outputs", "filters"),
    ("stride", "strides"),
)
_CONV2D = (
    "num_outputs",
    "kernel_size",
    "stride",
    "padding",
    "data_format",
    "rate",
    *_WEIGHTS,
)


def _make_fully_connected(name: str, activation: str, fixed: str = "") -> ContribRow:
    return ContribRow(
        f"tf.contrib.layers.{name}",
        (),
        f"{_MODULE}.FullyConnected",
        ("num_outputs", *_WEIGHTS),
        default_name="fully_connected",
        renamed=(*_RENAMED, ("num_outputs", "units")),
        defaults=(("activation", activation),) if activation else (),
        numbered=True,
        fixed=fixed,
    )


def _make_conv2d(name: str) -> ContribRow:
    return ContribRow(
        f"tf.contrib.layers.{name}",
        (),
        f"{_MODULE}.Conv",
        _CONV2D,
        default_name="Conv",
        renamed=(*_OF_CONVOLUTIONS, ("rate", "dilation_rate")),
        defaults=(("padding", '"same"'), _RELU),
        refused=("data_format",),
    )


def _make_transposed_row(name: str) -> ContribRow:
    return ContribRow(
        f"tf.contrib.layers.{name}",
        (),
        f"{_MODULE}.ConvTransposed",
        tuple(p for p in _CONV2D if p != "rate"),
        default_name="Conv2d_transpose",
        renamed=_OF_CONVOLUTIONS,
        defaults=(("padding", '"same"'), _RELU),
        refused=("data_format",),
    )


def _make_separable(name: str) -> ContribRow:
    before, after = _WEIGHTS[:4], _WEIGHTS[4:]
    return ContribRow(
        f"tf.contrib.layers.{name}",
        (),
        f"{_MODULE}.SeparableConv",
        (
            *("num_outputs", "kernel_size", "depth_multiplier", "stride", "padding"),
            *("data_format", "rate", *before, "pointwise_initializer", *after),
        ),
        default_name="SeparableConv2d",
        renamed=(*_OF_CONVOLUTIONS, ("rate", "dilation_rate")),
        defaults=(("padding", '"same"'), _RELU),
        refused=("data_format",),
    )


def _make_pooling(name: str, target: str, default_name: str) -> ContribRow:
    return ContribRow(
        f"tf.contrib.layers.{name}",
        (),
        f"tf_keras.layers.{target}",
        (
            *("kernel_size", "stride", "padding", "data_format"),
            *("outputs_collections", "scope"),
        ),
        default_name=default_name,
        has_weights=False,
        renamed=(*_RENAMED, ("kernel_size", "pool_size"), ("stride", "strides")),
        defaults=(("strides", "2"),),
        refused=("data_format",),
    )


_ROWS = (
    _make_fully_connected("fully_connected", "tf.nn.relu"),
    _make_fully_connected("elu", "tf.nn.elu", "activation_fn"),
    _make_fully_connected("linear", "", "activation_fn"),
    _make_fully_connected("relu", "tf.nn.relu", "activation_fn"),
    _make_fully_connected("relu6", "tf.nn.relu6", "activation_fn"),
    *(_make_conv2d(name) for name in ("conv2d", "convolution2d")),
    *(_make_transposed_row(n) for n in ("conv2d_transpose", "convolution2d_transpose")),
    *(_make_separable(n) for n in ("separable_conv2d", "separable_convolution2d")),
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
        ("training", "updates_collections"),
        default_name="BatchNorm",
        renamed=(*_RENAMED, ("decay", "momentum")),
        defaults=(("momentum", "0.999"), ("scale", "False")),
        refused=(
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
    _make_pooling("avg_pool2d", "AveragePooling2D", "average_pooling2d"),
    _make_pooling("max_pool2d", "MaxPooling2D", "max_pooling2d"),
    ContribRow(
        "tf.contrib.layers.layer_norm",
        (),
        f"{_MODULE}.LayerNorm",
        (
            *("center", "scale", "activation_fn", "reuse", "variables_collections"),
            *("outputs_collections", "trainable", "begin_norm_axis"),
            *("begin_params_axis", "scope"),
        ),
        default_name="LayerNorm",
        renamed=_RENAMED,
    ),
    ContribRow(
        "tf.contrib.layers.embed_sequence",
        (),
        "tf_keras.layers.Embedding",
        (
            *("vocab_size", "embed_dim", "unique", "initializer", "regularizer"),
            *("trainable", "scope", "reuse"),
        ),
        default_name="EmbedSequence",
        renamed=(
            *_RENAMED,
            ("embed_dim", "output_dim"),
            ("initializer", "embeddings_initializer"),
            ("regularizer", "embeddings_regularizer"),
            ("vocab_size", "input_dim"),
        ),
        # The table has a dtype of its own, because the ids have another.
        defaults=(
            ("embeddings_initializer", '"glorot_uniform"'),
            ("dtype", "tf.float32"),
        ),
        refused=("unique",),
    ),
    ContribRow(
        "tf.contrib.layers.one_hot_encoding",
        (),
        f"{_MODULE}.OneHot",
        ("num_classes", "on_value", "off_value", "outputs_collections", "scope"),
        default_name="one_hot",
        has_weights=False,
        renamed=_RENAMED,
    ),
)

_OF_LAYERS = {row.function: row for row in _ROWS}
LAYERS: dict[str, ContribRow] = _OF_LAYERS | {
    (symbol := function.replace(".layers.", ".slim.")): dataclasses.replace(
        row, function=symbol
    )
    for function, row in _OF_LAYERS.items()
}
# Functions that call other layers, one after the other.
STACKS = tuple(f"tf.contrib.{module}.stack" for module in ("layers", "slim"))
REPEATS = tuple(f"tf.contrib.{module}.repeat" for module in ("layers", "slim"))
