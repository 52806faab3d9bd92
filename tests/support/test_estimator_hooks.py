"""Hooks of several workers look, at the same time, into graphs that TensorFlow has traced."""

from __future__ import annotations

import threading

import pytest
import tensorflow as tf

from migrate.support.estimator_loop import hooks

v1 = tf.compat.v1


def test_each_worker_finds_its_step_and_leaves_its_graph_as_it_was() -> None:
    """A thread has a default graph of its own: no other may clean it up."""
    traced = v1.Graph()
    with traced.as_default():
        tf.constant(1.0, name="one")
    step = tf.Variable(7, dtype=tf.int64)
    inside = threading.Barrier(2, timeout=60)
    left = threading.Event()
    found: dict[int, object] = {}
    errors: list[Exception] = []

    def work(worker: int) -> None:
        try:
            with hooks.knowing(step, traced):
                inside.wait()  # Both are inside.
                graph = v1.get_default_graph()
                name = graph.get_tensor_by_name("one:0").name
                found[worker] = (v1.train.get_global_step(), name)
                if worker:  # The first who came in leaves first.
                    left.wait(60)
            left.set()
            with pytest.raises(KeyError, match="does not exist in the graph"):
                v1.get_default_graph().get_tensor_by_name("one:0")
            assert not v1.get_default_graph().get_collection("global_step")
        except Exception as error:
            errors.append(error)
            left.set()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert found == {0: (step, "one:0"), 1: (step, "one:0")}
