"""What tf.train.MonitoredTrainingSession did for a TF1 program, for tf.distribute.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later and nothing else.

    asynchronous      the coordinator runs your loop once for each worker, in threads
    synchronous       every worker process runs your loop
    replicas          what both share
    step_functions    what one call of the session's `run` computed
    session           MonitoredTrainingSession
    hooks             what the session calls
    own_hooks         calls hooks of yours
    clusters          who coordinates, and how tasks wait for each other and end
    restarts          what happens if a task is stopped or started again
    workers           what each worker has for itself
    checkpoints       TF1's files, with its names and slots: TF1 reads them, too
"""

# What your program takes from here.
# ruff: noqa: F401

from . import hooks, operations, replicas, variables
from .asynchronous import AsynchronousReplicas
from .checkpoints import Saver, Scaffold
from .clusters import (
    is_coordinator,
    leave,
    serve,
    serve_until_done,
    server_config,
    with_coordinator,
    workers_only,
)
from .hooks import (
    CheckpointSaverHook,
    GlobalStepWaiterHook,
    Hook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    ProfilerHook,
    StepCounterHook,
    StopAtStepHook,
    SummarySaverHook,
)
from .operations import dropout, mod_rows
from .own_hooks import (
    Fed,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from .session import MonitoredTrainingSession
from .step_functions import StepFunction, spec_of, to_numpy
from .summaries import SummaryWriter, summary, value_of
from .synchronous import SynchronousReplicas
from .variables import (
    NO_SEED,
    Rate,
    ScopedPartitioner,
    create_global_step,
    partitioner,
    read,
    values,
)
from .workers import PerWorker, numpy_random, per_worker, python_random, task_index
