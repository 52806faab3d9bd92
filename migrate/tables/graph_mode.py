"""What TensorFlow 1's names are in graph mode on TensorFlow 2.21, where compat.v1 lacks them.

Read by `migrate/fallback` alone: in graph mode more has a home than in TensorFlow 2's own
programs. `tests/fallback` runs what is said here.
"""

from __future__ import annotations

# First parts of modules below `tensorflow` that are not below `tensorflow.compat.v1`.
NOT_IN_COMPAT = frozenset({"contrib", "core", "examples", "python"})

# Modules whose names are attributes, which `from ... import` does not find there; they
# are names of compat.v1 itself.
ATTRIBUTES = frozenset({"tensorflow.app"})

# What of tf.estimator is tf.train's: in 1.15.5 the same objects.
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
    "tf.python.pywrap_tensorflow.NewCheckpointReader": (
        "tf.compat.v1.train.NewCheckpointReader"
    ),
    "tf.contrib.framework.argsort": "tf.compat.v1.argsort",
    "tf.contrib.framework.sort": "tf.compat.v1.sort",
    "tf.contrib.util.constant_value": "tf.compat.v1.get_static_value",
    "tf.contrib.util.make_ndarray": "tf.compat.v1.make_ndarray",
    "tf.contrib.util.make_tensor_proto": "tf.compat.v1.make_tensor_proto",
}

# Symbol or module -> (why it cannot work though its name may be there, what to do).
_ESTIMATOR = (
    "TensorFlow 2.16 and later have no Estimators, in graph mode neither",
    "Write the program as a session's, or let `tf1to2` migrate its Estimator.",
)
BROKEN: dict[str, tuple[str, str]] = {
    "tf.estimator": _ESTIMATOR,
    "tf.keras.estimator": _ESTIMATOR,
    "tf.contrib.estimator": _ESTIMATOR,
    "tf.contrib.learn": _ESTIMATOR,
}

# What runs a graph the TensorFlow 1 way, or prepares that, through tf.compat.v1 too.
RUNS_GRAPHS = frozenset(
    {
        "tf.InteractiveSession",
        "tf.Session",
        "tf.disable_eager_execution",
        "tf.disable_v2_behavior",
        "tf.train.MonitoredSession",
        "tf.train.MonitoredTrainingSession",
        "tf.train.Server",
        "tf.train.SingularMonitoredSession",
        "tf.train.Supervisor",
        "tf.train.SyncReplicasOptimizer",
        "tf.train.replica_device_setter",
    }
)
