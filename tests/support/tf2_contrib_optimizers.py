"""Updates by the emitted contrib_optimizers, from the gradients TF1's are fed.

    python -m tests.support.tf2_contrib_optimizers STRATEGY OUT.npz [RUN...]

STRATEGY is default, parameter_server (all tasks in this process) or
multi_worker,INDEX,HOST:PORT,... (one of its processes). The module under test is the
first `contrib_optimizers` on PYTHONPATH.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import contrib_optimizers  # type: ignore[import-not-found]
import numpy as np
import tensorflow as tf

from migrate.support import training_session
from reference.processes import Hosts
from tests.support import tf1_contrib_optimizers as tf1

_kept: list[Any] = []  # Servers end with what refers to them.


_Synchronous = training_session.SynchronousReplicas


def _default() -> Callable[[], Any]:
    return partial(_Synchronous, tf.distribute.get_strategy(), 0)


def _multi_worker(index: str, *hosts: str) -> Callable[[], Any]:
    cluster = tf.train.ClusterSpec({"worker": hosts})
    strategy = tf.distribute.MultiWorkerMirroredStrategy(
        cluster_resolver=tf.distribute.cluster_resolver.SimpleClusterResolver(
            cluster, task_type="worker", task_id=int(index), rpc_layer="grpc"
        )
    )
    return partial(_Synchronous, strategy, int(index))


def _parameter_server() -> Callable[[], Any]:
    hosts = Hosts.on_loopback(2, 1)
    cluster = tf.train.ClusterSpec({"ps": hosts.ps, "worker": hosts.worker})
    for job in cluster.jobs:
        for index in cluster.task_indices(job):
            config = training_session.server_config()
            _kept.append(tf.distribute.Server(cluster, job, index, config=config))
    strategy = tf.distribute.ParameterServerStrategy(
        tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc")
    )
    return partial(training_session.AsynchronousReplicas, strategy, cluster)


# What makes the replicas of a program.
STRATEGIES: dict[str, Callable[..., Callable[[], Any]]] = {
    "default": _default,
    "multi_worker": _multi_worker,
    "parameter_server": _parameter_server,
}


def run(replicas: Any, case: dict[str, Any], dtype: str) -> dict[str, np.ndarray]:
    """As `tf1.run`, written as a migrated program is."""
    tf.compat.v1.reset_default_graph()  # A program of its own: slots' names start anew.
    with replicas.strategy.scope(), replicas.recording():
        step = training_session.create_global_step()
        variables = {
            name: tf.Variable(value.astype(dtype), name=name)
            for name, value in tf1.initial().items()
        }
        optimizer = _optimizer(case, step)
        options = {}
        # TF1's minimize does not use the list, so a migrated program has none.
        if "decayed" in case and not case.get("in_minimize"):
            decayed = [variables[name] for name in case["decayed"]]
            options["decay_var_list"] = decayed

        @replicas.step_function(
            tf.TensorSpec([tf1.INPUTS, tf1.COLUMNS], dtype),
            tf.TensorSpec([tf1.COLUMNS], dtype),
            tf.TensorSpec([tf1.IDS, tf1.COLUMNS], dtype),
            tf.TensorSpec([tf1.IDS], tf.int32),
        )
        def train_step(w, bias, rows, ids):
            shape = tf.constant([tf1.ROWS, tf1.COLUMNS])
            table = tf.IndexedSlices(rows, ids, shape)
            gradients = replicas.average([w, bias, table])
            pairs = zip(gradients, variables.values(), strict=True)
            optimizer.apply_gradients(pairs, global_step=step, **options)

    found: dict[str, list[np.ndarray]] = {}
    for number, batch in enumerate(tf1.batches(), 1):
        replicas.call(train_step, train_step.convert_arguments(batch))
        if number in tf1.KEPT:
            for name, (variable,) in replicas.entries().items():
                if name != "global_step":
                    found.setdefault(name, []).append(variable.numpy())
    return {name: np.stack(values) for name, values in found.items()}


def _optimizer(case: dict[str, Any], step: tf.Variable) -> Any:
    arguments = dict(case["arguments"])
    for argument in case.get("scheduled", ()):
        schedule = tf.compat.v1.train.exponential_decay(
            arguments[argument], step, **tf1.SCHEDULE
        )
        # Both forms in which a migrated program can have a schedule.
        bare = argument == "learning_rate" and "Adam" in case["optimizer"]
        arguments[argument] = schedule if bare else training_session.Rate(schedule)
    if "extended" in case:
        base = getattr(tf.compat.v1.train, case["extended"])
        make = contrib_optimizers.extend_with_decoupled_weight_decay(base)
    else:
        make = getattr(contrib_optimizers, case["optimizer"])
    return make(**arguments)


def main(strategy: str, out: str, *keys: str) -> None:
    name, *arguments = strategy.split(",")
    make = STRATEGIES[name](*arguments)
    runs = {
        key: run(make(), case, dtype)
        for key, case, dtype in tf1.each()
        if not keys or key in keys
    }
    tf1.save(out, runs, {"tensorflow": tf.__version__})


if __name__ == "__main__":
    main(*sys.argv[1:])
