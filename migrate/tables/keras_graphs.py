"""Keras within a graph that a session runs: what its names make, and what they need."""

from __future__ import annotations

_INPUTS = ("tf.keras.Input", "tf.keras.layers.Input", "tf.keras.layers.InputLayer")
INPUTS = frozenset(_INPUTS)
MODELS = frozenset(
    f"tf.keras.{name}"
    for name in ("Sequential", "Model", "models.Sequential", "models.Model")
)
_LAYERS = "tf.keras.layers."
# Layers that compute another thing while training, and whose call is told so.
BY_PHASE = frozenset(
    f"{_LAYERS}{name}"
    for name in (
        *("Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"),
        *("AlphaDropout", "GaussianDropout", "GaussianNoise"),
    )
)
# Layers that change variables of theirs in a call: TF1 did so in runs of `updates`.
UPDATING = frozenset({f"{_LAYERS}BatchNormalization"})
# Recurrent layers: their implementation, and so their weights' layout, is another one.
_RECURRENT = (
    *("RNN", "LSTM", "GRU", "SimpleRNN", "ConvLSTM2D", "Bidirectional"),
    *("CuDNNLSTM", "CuDNNGRU", "TimeDistributed", "StackedRNNCells"),
    *("LSTMCell", "GRUCell", "SimpleRNNCell"),
)
RECURRENT = frozenset(f"{_LAYERS}{name}" for name in _RECURRENT)
# Attributes of a model that list its variables.
VARIABLES = frozenset(
    {"weights", "variables", "trainable_weights", "trainable_variables"}
    | {"non_trainable_weights", "non_trainable_variables"}
)
# What a class of models or layers must not call: it needs the program's graph.
OF_GRAPHS = (
    *("tf.layers.", "tf.get_variable", "tf.placeholder", "tf.contrib.", "tf.train."),
    *("tf.variable_scope", "tf.losses.", "tf.metrics.", "tf.summary.", "tf.nn.dropout"),
    *("tf.get_collection", "tf.add_to_collection", "tf.assign", "tf.Session"),
    *(
        "tf.nn.dynamic_rnn",
        "tf.nn.rnn_cell",
        "tf.global_variables",
        "tf.keras.backend.",
    ),
    *("tf.trainable_variables", "tf.get_default_graph", "tf.py_func"),
)
# Known as soon as it is made.
KNOWN = frozenset({"name", "input_shape", "output_shape", "count_params", "get_config"})
# Methods that are called where the model is made.
MAKES = frozenset({"add", "summary", "pop"})
# Functions and classes on tensors or numbers alone, which keep nothing.
PLAIN = (
    *("tf.keras.losses.", "tf.keras.metrics.", "tf.keras.activations."),
    *("tf.keras.initializers.", "tf.keras.regularizers.", "tf.keras.constraints."),
    *("tf.keras.utils.", "tf.keras.datasets.", "tf.keras.preprocessing."),
    "tf.keras.backend.",
)
# Functions of the backend that use Keras's own graph or session.
STATEFUL = frozenset(
    f"tf.keras.backend.{name}"
    for name in (
        *("function", "gradients", "get_session", "learning_phase", "placeholder"),
        *("set_session", "set_learning_phase", "clear_session", "get_value"),
        *("set_value", "batch_get_value", "batch_set_value", "variable", "update"),
        *("update_add", "update_sub", "moving_average_update", "in_train_phase"),
        *("in_test_phase", "learning_phase_scope", "get_uid", "reset_uids"),
        *("manual_variable_initialization", "dropout", "random_normal"),
        *("random_uniform", "random_binomial", "truncated_normal", "rnn"),
    )
)


def makes_layer(symbol: str) -> bool:
    """Whether a symbol is a class of layers."""
    name = symbol.removeprefix(_LAYERS)
    return symbol.startswith(_LAYERS) and name[:1].isupper() and symbol not in INPUTS


def has_weights(symbol: str) -> bool:
    """Whether what it makes may have variables, some of them made by its first call."""
    return (
        symbol in MODELS
        or symbol.startswith("tf.keras.applications.")
        or (makes_layer(symbol) and symbol not in BY_PHASE)
    )


def calls_layer(symbol: str) -> bool:
    """Whether it is a function of a layer without weights: `tf.keras.layers.add`."""
    return symbol.startswith(_LAYERS) and symbol[len(_LAYERS) :][:1].islower()
