"""What tf.train.MonitoredTrainingSession did for a TF1 program, for tf.distribute.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later and nothing else.

    session           MonitoredTrainingSession; hooks.py has what it calls, own_hooks.py
                      what calls hooks of yours
    replicas          what replicas share; asynchronous.py and synchronous.py how they train
    step_functions    what one call of the session's `run` computed
    clusters          who coordinates, and how tasks wait for each other and end
    workers           what each worker has for itself
    checkpoints       TF1's files, names and slots
    summaries, variables, operations

The program defines *step functions* under a strategy's scope and runs them in a
session-like loop:

    replicas = AsynchronousReplicas(strategy, cluster)
    with strategy.scope(), replicas.recording():
        ...variables, layers, optimizer...
        @replicas.step_function(tf.TensorSpec([None, 784], tf.float32))
        def train_step(x):
            ...what one replica computes; returns what the loop wants to see...

    def run_worker(task_index):
        with MonitoredTrainingSession(replicas, is_chief=task_index == 0) as sess:
            while not sess.should_stop():
                loss = sess.run(train_step, batch)

    replicas.run(run_worker)

Asynchronous training (ParameterServerStrategy) has one client, the coordinator.
It runs the old loop once per worker task, each in a thread of its own, so that as
many steps are in flight as TF1 had workers. In synchronous training
(MultiWorkerMirroredStrategy) every worker process runs the loop itself.

Checkpoints are TF1's: same file format, same variable names, slots included. A
TF1 checkpoint found in `checkpoint_dir` is continued, and TF1 can read ours.
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
from .operations import NO_SEED, dropout, mod_rows
from .own_hooks import (
    Fed,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from .session import MonitoredTrainingSession
from .step_functions import StepFunction, spec_of
from .summaries import SummaryWriter, summary, value_of
from .synchronous import SynchronousReplicas
from .variables import (
    Rate,
    ScopedPartitioner,
    create_global_step,
    partitioner,
    read,
    values,
)
from .workers import PerWorker, numpy_random, per_worker, python_random, task_index
