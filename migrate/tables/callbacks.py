"""Lists what a hook may use to become a Keras callback, and maps its methods."""

from __future__ import annotations

BASE = "tf_keras.callbacks.Callback"
HOOKS = frozenset({"tf.train.SessionRunHook", "tf.estimator.SessionRunHook"})
RUN_ARGS = frozenset({"tf.train.SessionRunArgs", "tf.estimator.SessionRunArgs"})
# A callback's step: the variable in which the optimizer counts.
STEP = "self.model.optimizer.iterations"
GLOBAL_STEP = frozenset(
    {
        "tf.python.training.training_util._get_or_create_global_step_read",
        "tf.train.get_global_step",
        "tf.train.get_or_create_global_step",
    }
)
# The name of the step in an Estimator's graph.
STEP_NAME = "global_step:0"
# Its last item is the loss that the EstimatorSpec gives.
LOSSES = ("tf.get_collection", "tf.GraphKeys.LOSSES")

# Hook's method -> its parameters after self.
PARAMETERS: dict[str, int] = {
    "begin": 0,
    "after_create_session": 2,
    "before_run": 1,
    "after_run": 2,
    "end": 1,
}
# The methods of a callback -> (the hook's methods, in order; the parameters). The name
# is f"on_{mode}_{moment}".
MOMENTS: dict[str, tuple[tuple[str, ...], str]] = {
    "begin": (("begin", "after_create_session"), "logs=None"),
    "batch_begin": (("before_run",), "batch, logs=None"),
    "batch_end": (("after_run",), "batch, logs=None"),
    "end": (("end",), "logs=None"),
}

TRAIN, TEST, PREDICT = "train", "test", "predict"
# (last name of the call, argument) -> the mode that the hooks in the argument belong to.
GIVEN: dict[tuple[str, str], str] = {
    ("train", "hooks"): TRAIN,
    ("evaluate", "hooks"): TEST,
    ("predict", "hooks"): PREDICT,
    ("TrainSpec", "hooks"): TRAIN,
    ("EvalSpec", "hooks"): TEST,
    ("EstimatorSpec", "training_hooks"): TRAIN,
    ("EstimatorSpec", "training_chief_hooks"): TRAIN,
    ("EstimatorSpec", "evaluation_hooks"): TEST,
    ("EstimatorSpec", "prediction_hooks"): PREDICT,
}
# (last name of the call, position) -> the argument.
POSITIONS: dict[tuple[str, int], str] = {
    ("train", 1): "hooks",
    ("evaluate", 2): "hooks",
    ("predict", 2): "hooks",
    ("TrainSpec", 2): "hooks",
    ("EvalSpec", 3): "hooks",
}

# Attributes and methods of a callback that no attribute of the user may hide.
TAKEN = frozenset(
    """model params validation_data set_model set_params _chief_worker_only
    _supports_tf_logs""".split()
)

# Symbols that need no graph and no session. A name stands for all names below it.
PLAIN = frozenset(
    {
        "tf.Event",
        "tf.HistogramProto",
        "tf.Summary",
        "tf.SummaryMetadata",
        "tf.app.flags",
        "tf.compat.as_bytes",
        "tf.compat.as_str",
        "tf.compat.as_str_any",
        "tf.compat.as_text",
        "tf.errors",
        "tf.flags",
        "tf.gfile",
        "tf.io.gfile",
        "tf.logging",
        "tf.summary.FileWriter",
        "tf.train.NewCheckpointReader",
        "tf.train.SecondOrStepTimer",
        "tf.train.checkpoint_exists",
        "tf.train.get_checkpoint_state",
        "tf.train.latest_checkpoint",
        "tf.train.list_variables",
        "tf.train.load_checkpoint",
        "tf.train.load_variable",
        "tf.train.summary_iterator",
    }
)
# Calls in `begin` that have no effect outside `begin`.
QUIET_CALLS = frozenset(
    {
        "dict",
        "float",
        "int",
        "len",
        "list",
        "set",
        "str",
        "tuple",
        "collections.OrderedDict",
        "collections.defaultdict",
        "collections.deque",
        "datetime.datetime.now",
        "datetime.now",
        "time",
        "time.perf_counter",
        "time.time",
    }
)
# Last names of functions that `begin` may call besides. By then the variables are
# already restored and a first checkpoint is saved, and that does not matter to them.
EARLY_CALLS = frozenset(
    """FileWriter MakeDirs abspath append basename debug dirname error flush format get info join log makedirs open
    print reset warn warning write writer""".split()
)
# Last names of functions that find tensors and timers. It does not matter to them either.
QUIET_TENSORS = frozenset(
    {
        "SecondOrStepTimer",
        "get_collection",
        "get_global_step",
        "get_or_create_global_step",
    }
)
