"""Lists what makes variables, and which ones, for savers of all variables."""

from __future__ import annotations

from migrate.tables.one_tensor import LAYERS as _LAYERS

# TF1's optimizers, and whether they have slots. Those with slots are made by
# `apply_gradients` and given by `variables()`; names and values were compared with TF 1.15.5.
OPTIMIZERS = {
    "tf.train.GradientDescentOptimizer": False,
    "tf.train.MomentumOptimizer": True,
    "tf.train.AdagradOptimizer": True,
    "tf.train.AdadeltaOptimizer": True,
    "tf.train.AdamOptimizer": True,
    "tf.train.RMSPropOptimizer": True,
    "tf.train.FtrlOptimizer": True,
}
# Arguments with which a variable is still one of those that TF1's saver took.
OF_VARIABLES = frozenset({"dtype", "initial_value", "name", "trainable"})
WITHOUT_VARIABLES = frozenset(
    {"AveragePooling2D", "Dropout", "Flatten", "MaxPooling2D"}
)
LAYERS = _LAYERS - WITHOUT_VARIABLES - {"BatchNormalization", "SeparableConv2D"}
SCHEDULES = frozenset(
    f"tf.train.{name}"
    for name in (
        *("exponential_decay", "inverse_time_decay", "natural_exp_decay"),
        *("piecewise_constant", "polynomial_decay", "cosine_decay"),
    )
)
# Functions that return values and make no variables, besides those of `one_tensor`.
MAKE_NO_VARIABLES = frozenset(
    {"tf.TensorSpec", "tf.random_normal", "tf.random_uniform", "tf.truncated_normal"}
    | {"tf.random.normal", "tf.random.uniform", "tf.random.truncated_normal"}
    | {"tf.convert_to_tensor", "tf.nn.relu", "tf.train.checkpoint_exists"}
    | {"tf.train.get_checkpoint_state", "tf.train.latest_checkpoint"}
)
# Methods of arrays.
READING = frozenset({"astype", "copy", "flatten", "mean", "reshape", "sum", "rand"}) | {
    "randn"
}
# Functions of TensorFlow that may make variables when a step is traced.
MAKE_VARIABLES = (
    *("tf.Variable", "tf.get_variable", "tf.layers.", "tf.contrib.", "tf.keras."),
    *("tf.nn.rnn_cell.", "tf.nn.dynamic_rnn", "tf.nn.bidirectional_", "tf.nn.static_"),
    *("tf.metrics.", "tf.train.", "tf.random.Generator"),
)
