"""What tf.train.MonitoredTrainingSession did for a TF1 program, for tf.distribute.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later and nothing else.
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
    writer_of,
)
from .operations import dropout, mod_rows
from .own_hooks import (
    Fed,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from .replicas import task_index
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
from .workers import PerWorker, numpy_random, per_worker, python_random
