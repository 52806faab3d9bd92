"""Lists the kinds of TensorFlow 1 programs, and what each becomes.

A program's kind is read from the symbols that its files use (as they were resolved, for
each use has a finding), and what it has become from the names that its new text uses.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Kind:
    """One kind of program.

    Attributes:
      name: for machines.
      words: for a reader.
      becomes: what a program of the kind becomes, where nothing in it is refused.
      symbols: a program that uses one of them, or a name below one, is of the kind.
      neither: names below them that say nothing: any program may read data with them.
      codes: so is one that has one of these findings.
      only_with: with the codes it must also use one of these symbols.
    """

    name: str
    words: str
    becomes: str
    symbols: tuple[str, ...] = ()
    neither: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()


_CLUSTER = ("tf.train.Server", "tf.train.ClusterSpec")
_SYNCHRONOUS = (
    "tf.train.SyncReplicasOptimizer",
    "tf.train.SyncReplicasOptimizerV2",
)
# The first kind that matches is the program's.
KINDS = (
    Kind(
        "estimator",
        "Estimator",
        "a Keras model or a model_fn, under the strategy that TF_CONFIG asks for",
        symbols=(
            "tf.estimator",
            "tf.contrib.estimator",
            "tf.contrib.learn",
            "tf.contrib.tpu.TPUEstimator",
            "tf.keras.estimator",
        ),
        neither=(
            "tf.contrib.learn.datasets",
            "tf.contrib.learn.preprocessing",
            "tf.contrib.learn.python.learn.datasets",
            "tf.contrib.learn.python.learn.preprocessing",
        ),
    ),
    Kind(
        "synchronous",
        "synchronous cluster",
        "MultiWorkerMirroredStrategy",
        symbols=_SYNCHRONOUS,
    ),
    Kind(
        "towers_on_tasks",
        "towers on the tasks of a cluster",
        "CentralStorageStrategy over the tasks",
        codes=("N128",),  # Of one that is refused with C131, too.
    ),
    Kind(
        "placed",
        "cluster, placed by hand",
        "ParameterServerStrategy",
        codes=("C115",),
        only_with=_CLUSTER,
    ),
    Kind(
        "asynchronous",
        "asynchronous cluster",
        "ParameterServerStrategy",
        symbols=("tf.train.replica_device_setter",),
    ),
    Kind(
        "cluster",
        "cluster without replica_device_setter",
        "ParameterServerStrategy",
        symbols=_CLUSTER,
    ),
    Kind(
        "towers",
        "towers on one machine",
        "MirroredStrategy",
        codes=("S138", "N126"),
    ),
    Kind(
        "session",
        "session, one process",
        "eager steps in one process",
        symbols=(
            "tf.Session",
            "tf.InteractiveSession",
            "tf.train.Supervisor",
            "tf.train.MonitoredTrainingSession",
            "tf.train.MonitoredSession",
            "tf.train.SingularMonitoredSession",
        ),
    ),
    Kind("keras", "Keras model", "tf.keras of TensorFlow 2", symbols=("tf.keras",)),
    Kind("other", "other TensorFlow 1 code", "the same code of TensorFlow 2"),
)

# A file that cannot be read.
UNREAD = Kind("unread", "not Python 3", "unknown until it is read")
# A program whose result holds both strategies. One of its own flags chooses.
BY_FLAG = Kind(
    "by_flag",
    "synchronous or asynchronous cluster, by a flag",
    "MultiWorkerMirroredStrategy or ParameterServerStrategy, by the same flag",
)
# What a program without a strategy has become, by the module written beside it.
WITHOUT_STRATEGY = {
    "plain_session": "eager steps in one process",
}

# Strategies by the attribute of tf.distribute (or of a written module) that makes them.
STRATEGIES = {
    "MultiWorkerMirroredStrategy": "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy": "ParameterServerStrategy",
    "MirroredStrategy": "MirroredStrategy",
    "CentralStorageStrategy": "CentralStorageStrategy",
    "towers_on_tasks": "CentralStorageStrategy over the tasks",
}

# Modules written beside Estimators -> what Estimators become with them.
ESTIMATORS = {
    "keras_estimator": "a Keras model, under the strategy that TF_CONFIG asks for",
    "estimator_loop": "its model_fn, under the strategy that TF_CONFIG asks for",
}
