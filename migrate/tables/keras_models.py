"""Tables of what a model_fn may use to become a Keras model. Otherwise it stays a model_fn.

A Keras model is made once, outside of its steps. So a chain of layers may hold only functions
that Keras records when they get symbolic tensors, and an optimizer may depend only on the
step. For the names in these tables we know that the model computes the same.
"""

from __future__ import annotations

import dataclasses

from migrate import emitted
from migrate.tables import keras_contrib, recurrent
from migrate.tables.layers import LAYER_FUNCTIONS, LayerRow

MODULE = "keras_estimator"
# The files that the tool writes beside a program with Keras models.
SUPPORT = emitted.list_files(MODULE)

# Names of tf_keras.Model and of the written methods. No attribute of the model may have them.
TAKEN: frozenset[str] = frozenset(
    """build built call compile compute_loss compute_metrics count_params dtype dynamic
    evaluate export fit get_config input input_shape inputs layers loss losses metrics
    metrics_names add_weight name non_trainable_variables optimizer output output_shape outputs
    predict run_eagerly save state_updates stateful submodules summary test_step
    train_step trainable trainable_variables trainable_weights updates variables weights
    params mean_loss predictions_from loss_from""".split()
)

INPUT_LAYER = "tf.feature_column.input_layer"
# Functions that become layers: those of tf.layers, of contrib, and tf.feature_column.input_layer.
LAYERS: dict[str, LayerRow] = {
    **LAYER_FUNCTIONS,
    **keras_contrib.LAYERS,
    INPUT_LAYER: LayerRow(
        INPUT_LAYER,
        (),
        "tf_keras.layers.DenseFeatures",
        ("feature_columns", "weight_collections", "trainable"),
        default_name="input_layer",
    ),
}

# Functions that write a summary in each step of a graph.
SUMMARIES = frozenset(
    f"tf.summary.{name}"
    for name in ("audio", "histogram", "image", "scalar", "tensor_summary", "text")
)

# Functions that make several layers, one after the other.
SEVERAL = frozenset({*keras_contrib.STACKS, *keras_contrib.REPEATS})

# Functions of tensors, without variables or state, that Keras records in a functional
# model (tests/support/test_keras_models.py applies each to a symbolic tensor).
NETWORK: frozenset[str] = frozenset(
    f"tf.{name}"
    for name in (
        "abs",
        "add",
        "cast",
        "clip_by_value",
        "concat",
        "divide",
        "exp",
        "expand_dims",
        "identity",
        "log",
        "matmul",
        "maximum",
        "minimum",
        "multiply",
        "nn.avg_pool",
        "nn.crelu",
        "nn.elu",
        "nn.l2_normalize",
        "nn.leaky_relu",
        "nn.log_softmax",
        "nn.max_pool",
        "nn.relu",
        "nn.relu6",
        "nn.selu",
        "nn.sigmoid",
        "nn.softmax",
        "nn.softplus",
        "nn.softsign",
        "nn.tanh",
        "pad",
        "reduce_max",
        "reduce_mean",
        "reduce_min",
        "reduce_sum",
        "reshape",
        "shape",
        "sigmoid",
        "sqrt",
        "square",
        "squeeze",
        "stack",
        "subtract",
        "tanh",
        "tile",
        "to_float",
        "transpose",
    )
)

# Functions that Keras records too, if a network calls them before its last layer.
BETWEEN: frozenset[str] = frozenset(
    f"tf.{name}"
    for name in (
        "add_n",
        "argmax",
        "div",
        "einsum",
        "equal",
        "floor",
        "gather",
        "greater",
        "greater_equal",
        "less",
        "less_equal",
        "logical_and",
        "logical_not",
        "logical_or",
        "math.rsqrt",
        "math.squared_difference",
        "negative",
        "nn.bias_add",
        "nn.conv1d",
        "nn.conv2d",
        "nn.embedding_lookup",
        "nn.l2_loss",
        "nn.moments",
        "not_equal",
        "one_hot",
        "ones_like",
        "pow",
        "reciprocal",
        "reduce_logsumexp",
        "reduce_prod",
        "reverse",
        "rsqrt",
        "scalar_mul",
        "sequence_mask",
        "sign",
        "slice",
        "split",
        "squared_difference",
        "tensordot",
        "truediv",
        "unstack",
        "where",
        "zeros_like",
    )
)

# Names that compute no tensor: types, and arguments of layers.
VALUES: frozenset[str] = frozenset(
    {
        *(f"tf.{t}" for t in ("float16", "float32", "float64", "int32", "int64")),
        "tf.bool",
        "tf.uint8",
        "tf.constant_initializer",
        *(
            f"tf.feature_column.{name}"
            for name in (
                "bucketized_column",
                "categorical_column_with_hash_bucket",
                "categorical_column_with_identity",
                "categorical_column_with_vocabulary_file",
                "categorical_column_with_vocabulary_list",
                "crossed_column",
                "embedding_column",
                "indicator_column",
                "numeric_column",
            )
        ),
        "tf.glorot_normal_initializer",
        "tf.glorot_uniform_initializer",
        "tf.initializers.he_normal",
        "tf.initializers.he_uniform",
        "tf.keras.initializers.he_normal",
        "tf.ones_initializer",
        "tf.random_normal_initializer",
        "tf.random_uniform_initializer",
        "tf.truncated_normal_initializer",
        "tf.variance_scaling_initializer",
        "tf.zeros_initializer",
        *(
            f"tf.contrib.{module}.{name}"
            for module in ("layers", "slim")
            for name in (
                *("l1_regularizer", "l2_regularizer", "xavier_initializer"),
                *("variance_scaling_initializer", "xavier_initializer_conv2d"),
            )
        ),
    }
)

# Names that Python code uses outside of the graph: flags, log messages, names of modes.
HOST = ("tf.app.flags", "tf.flags", "tf.logging", "tf.estimator.ModeKeys")

# Functions that make lookup tables, which a model makes once; and the methods of such a table
# that a step may call.
TABLES: frozenset[str] = frozenset(
    f"{module}.{name}"
    for module in ("tf.contrib.lookup",)
    for name in (
        *("index_table_from_file", "index_table_from_tensor"),
        *("index_to_string_table_from_file", "index_to_string_table_from_tensor"),
    )
)
TABLE_METHODS = frozenset({"lookup", "size"})
# Names that the arguments of a lookup table may use.
OF_TABLES: frozenset[str] = TABLES | {"tf.constant", "tf.string", "tf.gfile.GFile"}

# Modules whose functions do not use a graph.
LIBRARIES = frozenset({"numpy", "math", "functools", "collections", "six", "os"})

# Modules whose functions only write log messages.
LOGGING = ("tf.logging.", "logging.", "absl.logging.")

# Names that a step may not use, besides the functions that need a graph. They make variables,
# or read something that only a graph of TF1 had.
STEP_FORBIDDEN: frozenset[str] = frozenset(
    f"tf.{name}"
    for name in (
        "Variable",
        "cond",
        "contrib",
        "estimator",
        "feature_column",
        "get_local_variable",
        "get_variable",
        "keras",
        "layers",
        "lookup",
        "make_template",
        "metrics",
        "nn.bidirectional_dynamic_rnn",
        "nn.dynamic_rnn",
        "nn.raw_rnn",
        "nn.rnn_cell",
        "nn.static_bidirectional_rnn",
        "nn.static_rnn",
        "nn.static_state_saving_rnn",
        "py_func",
        "train",
        "while_loop",
    )
)
# Functions that need a graph, and that a step may call all the same.
STEP_ALLOWED: frozenset[str] = frozenset(
    {"tf.losses", "tf.summary.scalar", "tf.summary.histogram", "tf.summary.image"}
)
TOTAL_LOSS = "tf.losses.get_total_loss"
# Functions that set a graph's seed, for all operations after them.
SEEDS = ("tf.set_random_seed", "tf.random.set_random_seed")
ALL_LOSSES = "tf.losses.get_losses"
ADD_LOSS = "tf.losses.add_loss"


def collects_loss(symbol: str) -> bool:
    """Whether a function adds its result to the graph's losses."""
    of = symbol.startswith(("tf.losses.", "tf.contrib.losses."))
    last = symbol.rpartition(".")[2]
    return of and last[:1].islower() and not last.startswith(("get_", "add_"))


REGULARIZATION = (
    "tf.losses.get_regularization_losses",
    "tf.losses.get_regularization_loss",
)
COLLECTION = "tf.get_collection"
REGULARIZATION_LOSSES = ("tf.GraphKeys.REGULARIZATION_LOSSES", "regularization_losses")
TRAINABLE = "tf.trainable_variables"
TRAINABLE_VARIABLES = ("tf.GraphKeys.TRAINABLE_VARIABLES", "trainable_variables")
# Calls that read collections of the graph. A Keras model has these values in its methods only.
OF_MODEL = frozenset({TOTAL_LOSS, ALL_LOSSES, *REGULARIZATION, COLLECTION})

VARIABLE = "tf.get_variable"
VARIABLE_PARAMETERS = (
    "name",
    "shape",
    "dtype",
    "initializer",
    "regularizer",
    "trainable",
    "collections",
    "caching_device",
    "partitioner",
    "validate_shape",
    "use_resource",
    "custom_getter",
    "constraint",
)
# Parameters that Layer.add_weight has too, with the same defaults (a glorot_uniform
# initializer, float32); and parameters without effect, because every variable is a resource.
WEIGHT_ARGUMENTS = (
    "shape",
    "dtype",
    "initializer",
    "regularizer",
    "trainable",
    "constraint",
)
WEIGHT_IGNORED = ("use_resource",)
# tf.get_variable as a layer of a functional model, which returns the variable's value.
WEIGHT = LayerRow(VARIABLE, (), f"{MODULE}.Variable", VARIABLE_PARAMETERS)
LOOKUP = "tf.nn.embedding_lookup"
# Functions that `call` may use, although a step may not. TensorFlow 2 has the same functions,
# or recurrent_cells.py has them. None of them makes variables.
CALL_ALLOWED: frozenset[str] = (
    frozenset({"tf.cond", "tf.while_loop", "tf.case"})
    | frozenset(recurrent.LOOPS)
    | recurrent.WRAPPERS
)

AVERAGES = "tf.train.ExponentialMovingAverage"
# Names that the arguments of a Scaffold may use, besides checkpoints' names and plain values.
SCAFFOLD = "tf.train.Scaffold"
SCAFFOLDED: frozenset[str] = frozenset(
    {
        *(SCAFFOLD, AVERAGES, TRAINABLE, "tf.global_variables", "tf.train.Saver"),
        *("tf.train.latest_checkpoint", "tf.train.get_global_step"),
        "tf.train.get_or_create_global_step",
    }
)

# Functions that give variables their first values while the graph is built.
STARTS = frozenset({"tf.train.init_from_checkpoint"})
# LISTS: names that list the variables which exist at the call. LISTS_ALL: those of them that
# also list slots, if there are slots.
_LISTED = (
    *("get_variables", "get_variables_to_restore", "get_variables_by_name"),
    *("get_variables_by_suffix", "get_unique_variable"),
)
_OF_FRAMEWORK = ("tf.contrib.slim.", "tf.contrib.framework.")
LISTS_ALL: frozenset[str] = frozenset(
    {"tf.global_variables", "tf.all_variables", "tf.GraphKeys.GLOBAL_VARIABLES"}
    | {prefix + name for prefix in _OF_FRAMEWORK for name in _LISTED}
    | STARTS
)
LISTS: frozenset[str] = LISTS_ALL | frozenset(
    {TRAINABLE, "tf.GraphKeys.TRAINABLE_VARIABLES", "tf.GraphKeys.MODEL_VARIABLES"}
    | {
        prefix + name
        for prefix in _OF_FRAMEWORK
        for name in ("get_trainable_variables", "get_model_variables")
    }
)
# Other names that may choose variables for a restore, and restore them.
RESTORES: frozenset[str] = (
    SCAFFOLDED
    | LISTS
    | frozenset(
        {
            *("tf.get_collection", "tf.contrib.slim.filter_variables"),
            *("tf.contrib.framework.filter_variables", "tf.train.checkpoint_exists"),
            *("tf.contrib.framework.assign_from_checkpoint_fn",),
            *("tf.contrib.slim.assign_from_checkpoint_fn",),
            *("tf.train.get_checkpoint_state", "tf.train.list_variables"),
            *("tf.contrib.framework.list_variables", "tf.train.load_variable"),
            *("tf.train.NewCheckpointReader", "tf.train.load_checkpoint"),
        }
    )
) - {AVERAGES}

GLOBAL_STEP = ("tf.train.get_global_step", "tf.train.get_or_create_global_step")


@dataclasses.dataclass(frozen=True)
class MetricRow:
    """A streaming metric of TF1 and the Keras metric that counts the same.

    Attributes:
      target: the Keras class.
      parameters: TF1's parameters that go to `update_state`, in order.
      cast: the type to which the two arguments are cast first; "" for none.
      constructor: TF1's further parameters, which go to the constructor.
      options: other parameters of the constructor, passed by keyword and as constants.
    """

    target: str
    parameters: tuple[str, ...] = ("labels", "predictions")
    cast: str = ""
    constructor: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


METRICS: dict[str, MetricRow] = {
    "tf.metrics.accuracy": MetricRow("tf_keras.metrics.Accuracy"),
    "tf.metrics.auc": MetricRow(
        "keras_estimator.AUC", options=("num_thresholds", "curve", "summation_method")
    ),
    "tf.metrics.mean": MetricRow("tf_keras.metrics.Mean", ("values",)),
    "tf.metrics.mean_absolute_error": MetricRow("keras_estimator.MeanAbsoluteError"),
    "tf.metrics.mean_iou": MetricRow(
        "tf_keras.metrics.MeanIoU", constructor=("num_classes",)
    ),
    "tf.metrics.mean_per_class_accuracy": MetricRow(
        "keras_estimator.MeanPerClassAccuracy", constructor=("num_classes",)
    ),
    "tf.metrics.mean_squared_error": MetricRow("keras_estimator.MeanSquaredError"),
    "tf.metrics.precision": MetricRow("tf_keras.metrics.Precision", cast="tf.bool"),
    "tf.metrics.recall": MetricRow("tf_keras.metrics.Recall", cast="tf.bool"),
    "tf.metrics.root_mean_squared_error": MetricRow(
        "tf_keras.metrics.RootMeanSquaredError"
    ),
    **{
        f"tf.metrics.{name}": MetricRow(f"tf_keras.metrics.{target}", cast="tf.bool")
        for name, target in (
            ("false_negatives", "FalseNegatives"),
            ("false_positives", "FalsePositives"),
            ("true_negatives", "TrueNegatives"),
            ("true_positives", "TruePositives"),
        )
    },
}

# Functions whose result needs no cast to tf.bool.
BOOLEAN: frozenset[str] = frozenset(
    f"tf.{name}"
    for name in ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")
)
