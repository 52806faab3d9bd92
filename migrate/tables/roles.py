"""The role each TF1 symbol plays in a training program.

What is not listed and begins with `tf.` is an operation on tensors: step time
where one of its inputs is, else a graph constant.
"""

from __future__ import annotations

from migrate.program.ir import Kind
from migrate.tables import partitioners, streaming_metrics
from migrate.tables.hooks import HOOKS
from migrate.tables.layers import LAYER_CLASSES
from migrate.tables.optimizers import OPTIMIZERS, SCHEDULES
from migrate.tables.recurrent import CELLS

PLACEHOLDERS = frozenset({"tf.placeholder", "tf.placeholder_with_default"})
VARIABLES = frozenset({"tf.Variable", "tf.get_variable"})
# Functions that run Python code in the process that made the graph.
PYTHON_FUNCTIONS = frozenset({"tf.py_func", "tf.py_function", "tf.numpy_function"})
# Objects that keep elements from one run to the next: a graph has each once.
KEEPING = frozenset(
    f"tf.{package}{kind}Queue"
    for package in ("", "queue.")
    for kind in ("FIFO", "RandomShuffle", "PaddingFIFO", "Priority")
) | {
    *("tf.io.PaddingFIFOQueue", "tf.io.RandomShuffleQueue", "tf.io.PriorityQueue"),
    *("tf.contrib.staging.StagingArea", "tf.contrib.lookup.MutableHashTable"),
    *("tf.contrib.lookup.MutableDenseHashTable", "tf.Barrier"),
    *(
        "tf.lookup.experimental.DenseHashTable",
        "tf.lookup.experimental.MutableHashTable",
    ),
}
# Functions that replace the initial values of variables that there are already.
FIRST_VALUES = frozenset(
    {"tf.train.init_from_checkpoint", "tf.train.warm_start"}
    | {
        *("tf.contrib.framework.init_from_checkpoint",),
        *("tf.contrib.slim.checkpoint_utils.init_from_checkpoint",),
    }
)
GRADIENTS_PARAMETERS = (
    *("ys", "xs", "grad_ys", "name", "colocate_gradients_with_ops", "gate_gradients"),
    *("aggregation_method", "stop_gradients", "unconnected_gradients"),
)
GLOBAL_STEPS = frozenset(
    {
        "tf.train.get_or_create_global_step",
        "tf.train.create_global_step",
        "tf.train.get_global_step",
        "tf.contrib.framework.get_or_create_global_step",
        "tf.contrib.framework.create_global_step",
        "tf.contrib.framework.get_global_step",
    }
)
SYNC_OPTIMIZERS = frozenset(
    {"tf.train.SyncReplicasOptimizer", "tf.train.SyncReplicasOptimizerV2"}
)
PLAIN_SESSIONS = frozenset({"tf.Session"})
SESSIONS = frozenset({"tf.train.MonitoredTrainingSession"}) | PLAIN_SESSIONS
# All that opens a session, or makes what opens one.
OPENINGS = SESSIONS | {
    *("tf.InteractiveSession", "tf.train.Supervisor"),
    *("tf.train.MonitoredSession", "tf.train.SingularMonitoredSession"),
}
OPTIMIZER_METHODS = frozenset({"minimize", "compute_gradients", "apply_gradients"})
TRAINABLE = frozenset({"tf.trainable_variables"})
# Collections that are such lists.
LISTING_KEYS = frozenset(
    {"tf.GraphKeys.TRAINABLE_VARIABLES", "tf.GraphKeys.GLOBAL_VARIABLES"}
)
GLOBAL = frozenset({"tf.global_variables", "tf.all_variables"})
SCOPES = frozenset({"tf.variable_scope", "tf.name_scope", "tf.variable_op_scope"})
PARTITIONERS = frozenset(partitioners.PARTITIONERS)
SUMMARIES = frozenset(f"tf.summary.{kind}" for kind in ("scalar", "histogram", "image"))
INITIALIZES_ALL = frozenset(
    {"tf.global_variables_initializer", "tf.initialize_all_variables"}
)
INITIALIZES_LOCAL = frozenset(
    {"tf.local_variables_initializer", "tf.initialize_local_variables"}
)
INITIALIZES_OTHERS = INITIALIZES_LOCAL | frozenset(
    {"tf.tables_initializer", "tf.initialize_all_tables"}
)
REPORTS = frozenset({"tf.report_uninitialized_variables"})
INITIALIZER_OPS = frozenset(
    {
        "tf.global_variables_initializer",
        "tf.local_variables_initializer",
        "tf.initialize_all_variables",
        "tf.initialize_local_variables",
        "tf.tables_initializer",
        "tf.report_uninitialized_variables",
        "tf.variables_initializer",
        "tf.train.add_queue_runner",
    }
)

_BY_KIND: dict[Kind, frozenset[str]] = {
    Kind.PLACEHOLDER: PLACEHOLDERS,
    Kind.VARIABLE: VARIABLES | GLOBAL_STEPS,
    Kind.OPTIMIZER: frozenset(OPTIMIZERS)
    | SYNC_OPTIMIZERS
    | {"tf.train.Optimizer", "tf.contrib.estimator.clip_gradients_by_norm"},
    Kind.SCHEDULE: SCHEDULES,
    Kind.LAYER: frozenset(LAYER_CLASSES) | frozenset(CELLS),
    Kind.PARTITIONER: PARTITIONERS,
    Kind.SUMMARY: SUMMARIES
    | {"tf.summary.merge_all", "tf.summary.merge", "tf.summary.audio"},
    Kind.INITIALIZER_OP: INITIALIZER_OPS,
    Kind.HOOK: frozenset(HOOKS),
    Kind.WRITER: frozenset({"tf.summary.FileWriter", "tf.train.SummaryWriter"}),
    Kind.SAVER: frozenset({"tf.train.Saver"}),
    Kind.SCAFFOLD: frozenset({"tf.train.Scaffold"}),
    Kind.AVERAGES: frozenset({"tf.train.ExponentialMovingAverage"}),
    Kind.CLUSTER: frozenset({"tf.train.ClusterSpec"}),
    Kind.SERVER: frozenset({"tf.train.Server"}),
    Kind.DEVICE: frozenset(
        {
            "tf.train.replica_device_setter",
            "tf.contrib.training.GreedyLoadBalancingStrategy",
            "tf.contrib.training.byte_size_load_fn",
            "tf.contrib.training.RandomStrategy",
        }
    ),
    Kind.CONFIG: frozenset(
        {
            "tf.ConfigProto",
            "tf.GPUOptions",
            "tf.GraphOptions",
            "tf.OptimizerOptions",
            "tf.RunOptions",
            "tf.RunMetadata",
        }
    ),
    Kind.OPERATION: frozenset({"tf.group", "tf.no_op"}),
    Kind.ASSIGNMENT: frozenset(
        {
            *("tf.assign", "tf.assign_add", "tf.assign_sub"),
            *(f"tf.scatter_{how}" for how in ("add", "div", "max", "min", "mul")),
            *("tf.scatter_sub", "tf.scatter_update"),
        }
    ),
}
WRITERS = _BY_KIND[Kind.WRITER]

# What `migrate.normalise.towers` writes into a program.
TOWER_INDEX = (
    "tf.get_static_value(tf.distribute.get_replica_context().replica_id_in_sync_group)"
)
MERGES_TOWERS = frozenset({"replicas.summaries", "replicas.merged_summaries"})
# What a normal form calls by the names of emitted modules.
OF_NORMAL_FORM: dict[str, Kind] = {
    "plain_session.for_towers": Kind.DATASET,
    **{name: Kind.SUMMARY for name in (*MERGES_TOWERS, "replicas.under")},
    **dict.fromkeys(
        (streaming_metrics.METRIC, streaming_metrics.VARIABLES), Kind.METRIC
    ),
}

ASSIGNMENTS = _BY_KIND[Kind.ASSIGNMENT]
# Functions whose result is the buffer of their argument, where no type changes.
SAME_BUFFER = frozenset(
    f"tf.{name}"
    for name in (
        *("convert_to_tensor", "expand_dims", "identity", "reshape", "squeeze"),
        "stop_gradient",
    )
)
# What checks a value's shape unless it is told not to -> where `validate_shape` stands.
KEEP_SHAPE = {"tf.Variable": 3, "tf.get_variable": 9, "tf.assign": 2}
KIND_OF_CALL: dict[str, Kind] = {
    symbol: kind for kind, symbols in _BY_KIND.items() for symbol in symbols
}

# Modules and classes that compute on the host, whatever they are given.
HOST_PREFIXES = (
    "tf.app",
    "tf.flags",
    "tf.logging",
    "tf.gfile",
    "tf.io.gfile",
    "tf.errors",
    "tf.python_io",
    "tf.io.TFRecordOptions",
    "tf.io.TFRecordWriter",
    "tf.Event",
    "tf.HistogramProto",
    "tf.Summary",
    "tf.SummaryMetadata",
    "tf.compat.as_bytes",
    "tf.compat.as_str",
    "tf.compat.as_str_any",
    "tf.compat.as_text",
    "tf.train.Example",
    "tf.train.SequenceExample",
    "tf.train.checkpoint_exists",
    "tf.train.list_variables",
    "tf.train.load_checkpoint",
    "tf.train.load_variable",
    "tf.train.summary_iterator",
    "tf.train.Feature",
    "tf.train.Features",
    "tf.train.BytesList",
    "tf.train.FloatList",
    "tf.train.Int64List",
    "tf.train.latest_checkpoint",
    "tf.train.Coordinator",
    "tf.train.get_checkpoint_state",
    "tf.train.NanLossDuringTrainingError",
    "tf.GraphKeys",
    "tf.AUTO_REUSE",
    "tf.set_random_seed",
    "tf.reset_default_graph",
    "tf.get_default_graph",
    "tf.Graph",
    "tf.get_logger",
    "tf.contrib.learn.preprocessing",
    "tf.keras.datasets",
    "tf.keras.preprocessing",
    "tf.keras.utils",
    "tf.python.client.device_lib",
    "tf.test",
    "tf.examples",
    "tf.contrib.learn.datasets",
    "tf.contrib.learn.python.learn.datasets",
    "tf.contrib.training.HParams",
    "tf.TensorShape",
    "tf.Dimension",
    "tf.DType",
    "tf.as_dtype",
    "tf.dtypes.DType",
    "tf.dtypes.as_dtype",
    "tf.VERSION",
    "tf.version",
    "tf.__version__",
    "tf.GraphDef",
    "tf.OptimizerOptions",
    "tf.SessionLog",
    "tf.compat.path_to_str",
    "tf.config",
    "tf.executing_eagerly",
    "tf.graph_util",
    "tf.io.write_graph",
    "tf.make_ndarray",
    "tf.make_tensor_proto",
    "tf.profiler",
    "tf.resource_loader",
    "tf.saved_model.builder",
    "tf.sysconfig",
    "tf.train.ClusterDef",
    "tf.train.FeatureList",
    "tf.train.FeatureLists",
    "tf.train.NewCheckpointReader",
    "tf.train.get_checkpoint_mtimes",
    "tf.train.remove_checkpoint",
    "tf.train.update_checkpoint_state",
    "tf.train.write_graph",
)
DATASET_PREFIXES = ("tf.data.", "tf.contrib.data.")
# Iterators that are given a dataset by a run of an initializer:
# tensorflow.org/versions/r1.15/api_docs/python/tf/data/Iterator#from_structure
REINITIALIZABLE = frozenset({"tf.data.Iterator.from_structure"})
# Iterators that stand for the one whose handle is fed.
FEEDABLE = frozenset({"tf.data.Iterator.from_string_handle"})
# Methods and functions that make an iterator, or take an element of one.
ITERATES = frozenset(
    {"make_one_shot_iterator", "make_initializable_iterator", "get_next"}
)

# Initializers: called once at build time, their instances take a shape.
INITIALIZER_SUFFIX = "_initializer"


def is_initializer(symbol: str) -> bool:
    """Whether a symbol makes an initializer object (`tf.zeros_initializer`)."""
    name = symbol.rpartition(".")[2]
    return symbol.startswith(("tf.initializers.", "tf.keras.initializers.")) or (
        name.endswith(INITIALIZER_SUFFIX) and symbol not in INITIALIZER_OPS
    )


def has_prefix(symbol: str, prefixes: tuple[str, ...]) -> bool:
    return any(
        symbol == p or symbol.startswith(p if p.endswith(".") else p + ".")
        for p in prefixes
    )
