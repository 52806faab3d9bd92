"""Maps TensorFlow 1's names that compat.v1 of TensorFlow 2.21 lacks to names for graph mode.

Read by `migrate/fallback` alone: in graph mode more has a home than in TensorFlow 2's own
programs. `tests/fallback` runs what is said here.
"""

from __future__ import annotations

from migrate.tables import kept_names
from migrate.tables.calls import CallRow

# First parts of modules below `tensorflow` that are not below `tensorflow.compat.v1`.
NOT_IN_COMPAT = frozenset({"contrib", "core", "estimator", "examples", "python"})

# Modules whose names are attributes, which `from ... import` does not find there; they
# are names of compat.v1 itself.
ATTRIBUTES = frozenset({"tensorflow.app"})

# Names of tf.estimator that are the same objects as those of tf.train in 1.15.5.
_HOOKS = (
    *("CheckpointSaverHook", "CheckpointSaverListener", "FeedFnHook", "FinalOpsHook"),
    *("GlobalStepWaiterHook", "LoggingTensorHook", "NanLossDuringTrainingError"),
    *("NanTensorHook", "ProfilerHook", "SecondOrStepTimer", "SessionRunArgs"),
    *("SessionRunContext", "SessionRunHook", "SessionRunValues", "StepCounterHook"),
    *("StopAtStepHook", "SummarySaverHook", "VocabInfo"),
)

# Symbol -> its home in graph mode, where no other table has one.
HOMES: dict[str, str] = {
    **{f"tf.estimator.{name}": f"tf.compat.v1.train.{name}" for name in _HOOKS},
    # Python's own inspection functions, which tensorflow-estimator only passed on.
    "tf.python.estimator.util.fn_args": "callable_arguments.fn_args",
    "tf.contrib.eager.metrics.Mean": "graph_metrics.Mean",
    "tf.contrib.framework.get_name_scope": "graph_functions.get_name_scope",
    "tf.contrib.tfprof.tfprof_logger.write_op_log": "tf.compat.v1.profiler.write_op_log",
    "tf.contrib.nn.nth_element": "graph_functions.nth_element",
    "tf.python.pywrap_tensorflow.NewCheckpointReader": (
        "tf.compat.v1.train.NewCheckpointReader"
    ),
}

# Modules that only graph mode writes beside a program: module -> (modules of contrib
# that have its functions, the functions).
_WRITTEN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "contrib_assigning": (
        ("framework", "slim"),
        ("assign_from_checkpoint_fn", "assign_from_values", "assign_from_values_fn"),
    ),
    "contrib_crf": (
        ("crf",),
        (
            *("crf_binary_score", "crf_decode", "crf_log_likelihood", "crf_log_norm"),
            *("crf_multitag_sequence_score", "crf_sequence_score", "crf_unary_score"),
            "viterbi_decode",
        ),
    ),
    "contrib_images": (
        ("image",),
        (
            *("angles_to_projective_transforms", "compose_transforms"),
            *("flat_transforms_to_matrices", "matrices_to_flat_transforms", "rotate"),
            *("transform", "translate", "translations_to_projective_transforms"),
        ),
    ),
    "contrib_placement": (
        ("training",),
        ("GreedyLoadBalancingStrategy", "RandomStrategy", "byte_size_load_fn"),
    ),
    "graph_cells": (
        ("rnn",),
        (
            *("Conv1DLSTMCell", "Conv2DLSTMCell", "Conv3DLSTMCell", "ConvLSTMCell"),
            "LayerNormBasicLSTMCell",
        ),
    ),
    "graph_metrics": (
        ("metrics",),
        ("streaming_covariance", "streaming_pearson_correlation"),
    ),
    "graph_optimizers": (
        ("opt",),
        (
            *("AdamWOptimizer", "DecoupledWeightDecayExtension", "LazyAdamOptimizer"),
            *("MomentumWOptimizer", "extend_with_decoupled_weight_decay"),
        ),
    ),
    "graph_profiles": (
        ("tfprof.model_analyzer",),
        (
            *("FLOAT_OPS_OPTIONS", "PRINT_ALL_TIMING_MEMORY"),
            *("TRAINABLE_VARS_PARAMS_STAT_OPTIONS", "advise", "print_model_analysis"),
        ),
    ),
    "graph_projector": (
        ("tensorboard.plugins.projector",),
        ("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"),
    ),
    "graph_predictor": (("predictor",), ("from_saved_model",)),
    "graph_seq2seq": (
        ("seq2seq",),
        (
            *("AttentionMechanism", "AttentionWrapper", "AttentionWrapperState"),
            *("BahdanauAttention", "BahdanauMonotonicAttention", "BasicDecoder"),
            *("BasicDecoderOutput", "BeamSearchDecoder", "BeamSearchDecoderOutput"),
            *("BeamSearchDecoderState", "CustomHelper", "Decoder"),
            *("FinalBeamSearchDecoderOutput", "GreedyEmbeddingHelper", "Helper"),
            *("InferenceHelper", "LuongAttention", "LuongMonotonicAttention"),
            *("SampleEmbeddingHelper", "ScheduledEmbeddingTrainingHelper"),
            *("ScheduledOutputTrainingHelper", "TrainingHelper", "dynamic_decode"),
            *("gather_tree", "hardmax", "monotonic_attention", "safe_cumprod"),
            "tile_batch",
        ),
    ),
    "slim_learning": (("slim.learning",), ("train", "train_step")),
}
HOMES |= {
    f"tf.contrib.{module}.{name}": f"{written}.{name}"
    for written, (modules, names) in _WRITTEN.items()
    for module in modules
    for name in names
}

# Names of TensorFlow's version, and the version that a program reads if it decides by
# it: in graph mode `tf` is TensorFlow 1, where `tf.nn.dropout(x, 0.1)` keeps a tenth.
VERSIONS = ("tf.VERSION", "tf.__version__", "tf.version.VERSION")
VERSION = "1.15.5"
# Functions that make a version from a text.
READ_VERSIONS = frozenset(
    {"LooseVersion", "StrictVersion", "Version", "parse", "parse_version"}
)

# Modules in which `getattr` may look a name up at run time: module -> its home. The
# home has some of the names, and raises NotImplementedError for each of the others.
LOOKED_UP: dict[str, str] = {"tf.contrib.opt": "graph_optimizers"}

HOMES["tf.contrib.metrics.streaming_percentage_less"] = (
    "tf.compat.v1.metrics.percentage_below"
)


def _make_metric_row(name: str, *own: str) -> CallRow:
    """contrib.metrics have predictions first, and streaming_ before their names."""
    weighted = ("weights", "metrics_collections", "updates_collections", "name")
    return CallRow(
        f"tf.contrib.metrics.streaming_{name}",
        f"tf.compat.v1.metrics.{name}",
        0,
        ("predictions", "labels", *own, *weighted),
        reason="labels come first in tf.metrics: all are passed by name",
        told=True,
    )


METRICS: dict[str, CallRow] = {
    row.symbol: row
    for row in (
        _make_metric_row("mean_cosine_distance", "dim"),
        _make_metric_row("sensitivity_at_specificity", "specificity", "num_thresholds"),
        _make_metric_row("specificity_at_sensitivity", "sensitivity", "num_thresholds"),
        *(
            _make_metric_row(f"{name}_at_thresholds", "thresholds")
            for name in (
                *("false_negatives", "false_positives", "precision", "recall"),
                *("true_negatives", "true_positives"),
            )
        ),
    )
}

# Modules of 1.15.5 with the operations that update variables, and 2.21's module of the
# same functions: tf.raw_ops has these operations publicly, and takes only keywords.
_UPDATES = ("tf.python.training.training_ops", "tf.python.training.gen_training_ops")
_UPDATES_NOW = "tensorflow.python.ops.gen_training_ops"
_IN_CAPITALS = {"Rms": "RMS", "AdagradDa": "AdagradDA"}
# A parameter that 1.15.5 does not have, before its last one.
_NEW_OF_FTRL = "multiply_linear_by_lr"


def find_update(symbol: str) -> CallRow | None:
    """The row of a private function that updates a variable: `apply_adam`."""
    module, _, name = symbol.rpartition(".")
    row = kept_names.find(f"{_UPDATES_NOW}.{name}") if module in _UPDATES else None
    if row is None or not row.known.is_proof or row.parameters is None:
        return None
    operation = "".join(word.capitalize() for word in name.split("_"))
    for old, new in _IN_CAPITALS.items():
        operation = operation.replace(old, new)
    found = (parameter.rstrip("=") for parameter in row.parameters)
    parameters = tuple(p for p in found if p != _NEW_OF_FTRL)
    return CallRow(
        symbol,
        f"tf.raw_ops.{operation}",
        0,
        parameters,
        required=tuple(p for p in row.parameters if not p.endswith("=")),
        parameters=parameters,
    )


# Why other names of contrib have no home in graph mode: symbol or module -> (reason,
# recipe). Other tables speak of TensorFlow 2's own programs.
_NO_PACKAGE = (
    "compat.v1 does not have it, and no package that runs on TensorFlow 2.21 does"
)
NO_HOME: dict[str, tuple[str, str]] = {
    "tf.contrib.seq2seq": (
        (
            "the module graph_seq2seq, which the tool writes beside the program, has "
            "only contrib's public names, and this one is private"
        ),
        "Use a public name, or copy the code of this one into the program.",
    ),
    "tf.contrib.opt": (
        (
            "of contrib's optimizers, only lazy Adam and decoupled weight decay can "
            "run in graph mode (module graph_optimizers); in a graph, a part of the "
            "updates of this one would be missing"
        ),
        (
            "Use an optimizer of tf.train, and decay the variables by assignments "
            "before it."
        ),
    ),
    "tf.contrib.rnn": (
        (
            "only contrib had this cell; compat.v1 has BasicRNNCell, BasicLSTMCell, "
            "LSTMCell, GRUCell, MultiRNNCell and the wrappers of tf.nn.rnn_cell"
        ),
        (
            "Use one of these cells, or write the cell as a class of "
            "tf.nn.rnn_cell.RNNCell."
        ),
    ),
    "tf.contrib.layers": (
        _NO_PACKAGE,
        "Use the layer of tf.layers that does the same.",
    ),
    "tf.contrib.slim": (
        _NO_PACKAGE,
        "Call what slim called: a Supervisor, tf.metrics, tf.data.",
    ),
    "tf.contrib.metrics": (
        _NO_PACKAGE,
        "Write it with tf.metrics, which keep their state as contrib's did.",
    ),
    "tf.contrib.lookup": (
        "it consists of a table and a hash of contrib",
        "Use tf.lookup.StaticVocabularyTable, which runs in graph mode, too.",
    ),
    "tf.contrib.training": (
        _NO_PACKAGE,
        "Write the loop with tf.train.MonitoredTrainingSession, batches with tf.train.batch.",
    ),
    "tf.contrib.tpu": (
        "it is for a TPU, and compat.v1 does not have it",
        "Use tf.compat.v1.tpu. If the program runs without a TPU, leave it out.",
    ),
}

# Symbols that make TensorFlow 2 build graphs, as TensorFlow 1 did.
SWITCHES = frozenset({"tf.disable_eager_execution", "tf.disable_v2_behavior"})

# Symbols that run a graph as TensorFlow 1 does, or prepare it, also through tf.compat.v1.
RUNS_GRAPHS = frozenset(
    {
        "tf.InteractiveSession",
        "tf.Session",
        "tf.train.MonitoredSession",
        "tf.train.MonitoredTrainingSession",
        "tf.train.Server",
        "tf.train.SingularMonitoredSession",
        "tf.train.Supervisor",
        "tf.train.SyncReplicasOptimizer",
        "tf.train.replica_device_setter",
        *SWITCHES,
    }
)
