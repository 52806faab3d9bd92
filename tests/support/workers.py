"""The workers' loops of asynchronous training, without a cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def in_workers(function: Callable[[int], Any], workers: int = 3) -> list[Any]:
    """Returns the result of each worker's loop; worker 0's is the main thread's."""
    import tensorflow as tf

    from migrate.support import training_session

    replicas = training_session.AsynchronousReplicas.__new__(
        training_session.AsynchronousReplicas
    )
    hosts = [f"127.0.0.1:{i + 1}" for i in range(workers)]
    replicas._cluster = tf.train.ClusterSpec({"worker": hosts})
    replicas._chiefs = 0
    replicas.failed = threading.Event()
    replicas._dismiss = lambda code: None  # Nobody serves.
    results: dict[int, Any] = {}

    def worker(index: int) -> None:
        results[index] = function(index)

    replicas.run(worker)
    return [results[i] for i in range(workers)]
