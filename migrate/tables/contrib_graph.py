"""Functions of tf.contrib that build a graph, and the emitted modules that have them.

slim has contrib.layers' functions, contrib.framework's and contrib.losses' under one
name. They need a graph that is being built: a model_fn's, or that of a step function
(see `migrate/program/graph_functions.py`). `tests/support/slim_layers.py`
has the cases that prove the modules.
"""

from __future__ import annotations

from migrate import emitted
from migrate.tables.calls import CallRow

LAYERS_MODULE = "contrib_layers"
FRAMEWORK_MODULE = "contrib_framework"
TRAINING_MODULE = "contrib_training"

# Emitted module -> files it needs.
FILES: dict[str, tuple[str, ...]] = {
    FRAMEWORK_MODULE: (f"{FRAMEWORK_MODULE}.py",),
    LAYERS_MODULE: (f"{FRAMEWORK_MODULE}.py", *emitted.list_files(LAYERS_MODULE)),
    TRAINING_MODULE: (f"{TRAINING_MODULE}.py",),
}

# Layers that make variables.
_WITH_VARIABLES = (
    *("batch_norm", "bias_add", "conv1d", "conv2d", "conv2d_transpose", "conv3d"),
    *("convolution", "convolution1d", "convolution2d", "convolution2d_transpose"),
    *("convolution3d", "elu", "embed_sequence", "fully_connected", "layer_norm"),
    *("linear", "relu", "relu6", "separable_conv2d", "separable_convolution2d"),
)
_WITHOUT = (
    *("avg_pool2d", "avg_pool3d", "dropout", "flatten", "max_pool2d", "max_pool3d"),
    *("maxout", "one_hot_encoding", "softmax", "unit_norm"),
)
# What layers are given, and what applies several.
_BESIDE = (
    *(
        "apply_regularization",
        "l1_l2_regularizer",
        "l1_regularizer",
        "l2_regularizer",
        "repeat",
        "stack",
    ),
    *("sum_regularizer", "variance_scaling_initializer", "xavier_initializer"),
    "xavier_initializer_conv2d",
)
_FRAMEWORK = (
    *("add_arg_scope", "arg_scope", "arg_scope_func_key", "current_arg_scope"),
    *("has_arg_scope", "add_model_variable", "filter_variables"),
    *("get_local_variables", "get_model_variables", "get_trainable_variables"),
    *("get_unique_variable", "get_variables", "get_variables_by_name"),
    *("get_variables_by_suffix", "get_variables_to_restore", "model_variable"),
    "variable",
)
_METRIC_LISTS = ("aggregate_metric_map", "aggregate_metrics")
_LOSSES = ("add_loss", "get_losses", "get_regularization_losses", "get_total_loss")
_NAMED_OUTPUTS = ("collect_named_outputs", "convert_collection_to_dict")

# Symbol -> its home.
GRAPH: dict[str, str] = {
    **{
        f"tf.contrib.{module}.{name}": f"{LAYERS_MODULE}.{name}"
        for module in ("layers", "slim")
        for name in (*_WITH_VARIABLES, *_WITHOUT, *_BESIDE)
    },
    **{
        f"tf.contrib.{module}.{name}": f"{FRAMEWORK_MODULE}.{name}"
        for module in ("framework", "slim")
        for name in _FRAMEWORK
    },
    **{
        f"tf.contrib.{module}.{name}": f"{FRAMEWORK_MODULE}.{name}"
        for module in (*("slim.utils", "layers.python.layers.utils"),)
        for name in _NAMED_OUTPUTS
    },
    **{
        f"tf.contrib.metrics.{name}": f"{FRAMEWORK_MODULE}.{name}"
        for name in _METRIC_LISTS
    },
    **{
        f"tf.contrib.losses.{name}": f"tf.compat.v1.losses.{name}"
        for name in (*_LOSSES, "compute_weighted_loss")
    },
    **{
        f"tf.contrib.{module}.optimize_loss": f"{TRAINING_MODULE}.optimize_loss"
        for module in ("layers", "slim")
    },
    "tf.contrib.training.create_train_op": f"{TRAINING_MODULE}.create_train_op",
    "tf.contrib.slim.learning.create_train_op": (
        f"{TRAINING_MODULE}.create_slim_train_op"
    ),
    **{
        f"tf.contrib.{module}.{name}": f"{TRAINING_MODULE}.{name}"
        for module in ("training", "slim.learning")
        for name in ("clip_gradient_norms", "multiply_gradients")
    },
}

# Names that make variables, or whose names come from the graph's scopes.
MAKES = frozenset(
    f"tf.contrib.{module}.{name}"
    for module in ("layers", "slim")
    for name in (*_WITH_VARIABLES, "repeat", "stack")
)
ARG_SCOPES = frozenset(
    f"tf.contrib.{module}.arg_scope" for module in ("framework", "slim")
)
# Modules that a program may give a name of its own: `slim = tf.contrib.slim`.
MODULES = frozenset(
    {
        "tf.contrib",
        *("tf.contrib.framework", "tf.contrib.layers", "tf.contrib.losses"),
        *("tf.contrib.metrics", "tf.contrib.slim", "tf.contrib.slim.losses"),
        *("tf.contrib.slim.learning", "tf.contrib.slim.metrics", "tf.contrib.training"),
    }
)


def _make_metric_row(name: str, home: str, *same: str) -> CallRow:
    """contrib.metrics have predictions first, and streaming_ before their names."""
    keywords = ("weights", "metrics_collections", "updates_collections", "name")
    return CallRow(
        f"tf.contrib.metrics.{name}",
        f"tf.compat.v1.metrics.{home}",
        0,
        (*same, *keywords),
        reason="labels come first in tf.metrics: all are passed by name",
        told=True,
    )


_TWO = ("predictions", "labels")
# Metrics, which keep what they count in a graph's local variables.
METRICS: dict[str, CallRow] = {
    row.symbol: row
    for row in (
        *(
            _make_metric_row(f"streaming_{name}", name, *_TWO)
            for name in (
                *("accuracy", "mean_absolute_error", "mean_squared_error"),
                *("precision", "recall", "root_mean_squared_error", "true_positives"),
                *("false_negatives", "false_positives", "true_negatives"),
            )
        ),
        _make_metric_row("streaming_auc", "auc", *_TWO, "num_thresholds", "curve"),
        _make_metric_row("streaming_mean", "mean", "values"),
        _make_metric_row("streaming_mean_iou", "mean_iou", *_TWO, "num_classes"),
        _make_metric_row("streaming_mean_tensor", "mean_tensor", "values"),
        _make_metric_row(
            "streaming_mean_relative_error", "mean_relative_error", *_TWO, "normalizer"
        ),
    )
}
