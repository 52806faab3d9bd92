"""tf.layers and the Keras 2 layers that compute the same with the same variables.

TF1 and Keras agree on kernels, initial distributions (glorot uniform, zeros),
variable names (`<name>/kernel`) and batch normalisation's momentum .99 and
epsilon 1e-3; only spelling differs.
"""

from __future__ import annotations

import ast
import dataclasses


@dataclasses.dataclass(frozen=True)
class LayerRow:
    """One function of `tf.layers`, or its class form.

    Attributes:
      function: the functional symbol.
      classes: the class symbols.
      target: the Keras 2 class.
      parameters: TF1's positional parameters after the inputs.
      call_parameters: those that belong to the layer's call, not its constructor.
      default_name: TF1's name of an unnamed layer.
      has_weights: whether it creates variables.
      seeded: the function to call in its place where a seed is given: Keras's layer
        draws by another seed every time that it is traced, TF1 drew by the one given.
      defaults: Keras's arguments where the call says nothing.
    """

    function: str
    classes: tuple[str, ...]
    target: str
    parameters: tuple[str, ...]
    call_parameters: tuple[str, ...] = ()
    default_name: str = ""
    has_weights: bool = True
    seeded: str = ""
    defaults: tuple[tuple[str, str], ...] = ()

    def list_texts(self, bound: dict[str, ast.expr]) -> tuple[tuple[str, str], ...]:
        """What else Keras's layer is given, by name.

        Args:
          bound: what the call gives.
        """
        return tuple(given for given in self.defaults if given[0] not in bound)


_WEIGHTS = (
    "activation",
    "use_bias",
    "kernel_initializer",
    "bias_initializer",
    "kernel_regularizer",
    "bias_regularizer",
    "activity_regularizer",
    "kernel_constraint",
    "bias_constraint",
    "trainable",
    "name",
    "reuse",
)
_CONV = ("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")
_TRANSPOSED = ("filters", "kernel_size", "strides", "padding", "data_format")
_POOL = ("pool_size", "strides", "padding", "data_format", "name")


def _make_row(
    function: str,
    target: str,
    parameters: tuple[str, ...],
    call_parameters: tuple[str, ...] = (),
    default_name: str = "",
    has_weights: bool = True,
    seeded: str = "",
    defaults: tuple[tuple[str, str], ...] = (),
) -> LayerRow:
    return LayerRow(
        f"tf.layers.{function}",
        (f"tf.layers.{target}",),
        f"tf_keras.layers.{target}",
        parameters,
        call_parameters,
        default_name or function,
        has_weights,
        seeded,
        defaults,
    )


_ROWS = (
    _make_row("dense", "Dense", ("units", *_WEIGHTS)),
    _make_row("conv1d", "Conv1D", (*_CONV, *_WEIGHTS)),
    _make_row("conv2d", "Conv2D", (*_CONV, *_WEIGHTS)),
    _make_row("conv3d", "Conv3D", (*_CONV, *_WEIGHTS)),
    _make_row("conv2d_transpose", "Conv2DTranspose", (*_TRANSPOSED, *_WEIGHTS)),
    _make_row("conv3d_transpose", "Conv3DTranspose", (*_TRANSPOSED, *_WEIGHTS)),
    _make_row(
        "batch_normalization",
        "BatchNormalization",
        (
            "axis",
            "momentum",
            "epsilon",
            "center",
            "scale",
            "beta_initializer",
            "gamma_initializer",
            "moving_mean_initializer",
            "moving_variance_initializer",
            "beta_regularizer",
            "gamma_regularizer",
            "beta_constraint",
            "gamma_constraint",
            "training",
            "trainable",
            "name",
            "reuse",
        ),
        ("training",),
    ),
    _make_row(
        "dropout",
        "Dropout",
        ("rate", "noise_shape", "seed", "training", "name"),
        ("training",),
        has_weights=False,
        seeded="training_session.dropout",
        defaults=(("rate", "0.5"),),
    ),
    _make_row("flatten", "Flatten", ("name", "data_format"), has_weights=False),
    _make_row("max_pooling1d", "MaxPooling1D", _POOL, has_weights=False),
    _make_row("max_pooling2d", "MaxPooling2D", _POOL, has_weights=False),
    _make_row("max_pooling3d", "MaxPooling3D", _POOL, has_weights=False),
    _make_row("average_pooling1d", "AveragePooling1D", _POOL, has_weights=False),
    _make_row("average_pooling2d", "AveragePooling2D", _POOL, has_weights=False),
    _make_row("average_pooling3d", "AveragePooling3D", _POOL, has_weights=False),
)

LAYER_FUNCTIONS: dict[str, LayerRow] = {row.function: row for row in _ROWS}
LAYER_CLASSES: dict[str, LayerRow] = {c: row for row in _ROWS for c in row.classes}
