"""A program in two files starts its tasks itself: each process has arguments of its own."""

from __future__ import annotations

import pathlib

import pytest

from migrate.outcomes import Status
from migrate.run import run_programs

TRAINING = """\
import numpy as np
import tensorflow as tf


def start(pool, hosts, job, index, data):
    pool.apply_async(train, (hosts, job, index, data))


def train(hosts, job, index, data):
    cluster = tf.train.ClusterSpec({"ps": ["localhost:2222"], "worker": hosts})
    server = tf.train.Server(cluster, job_name=job, task_index=index)
    if job == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 2])
        w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        step = tf.train.get_or_create_global_step()
        update = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    with tf.train.MonitoredTrainingSession(
            master="grpc://" + hosts[index], is_chief=index == 0) as sess:
        for i in range(10):
            sess.run(update, {x: DATA})
"""
DRIVER = """\
import multiprocessing
import numpy as np
import training

if __name__ == "__main__":
    pool = multiprocessing.Pool(3)
    hosts = ["localhost:2223", "localhost:2224"]
    training.start(pool, hosts, "ps", 0, None)
    for i in range(2):
        training.start(pool, hosts, "worker", i, np.random.rand(4, 2))
    pool.close()
    pool.join()
"""


@pytest.mark.parametrize(
    ("data", "refused"),
    [
        ("data", True),
        ("np.random.RandomState(index).rand(4, 2)", False),
    ],
)
def test_data_of_each_process(tmp_path: pathlib.Path, data: str, refused: bool) -> None:
    """Hosts are the same in all processes, because they have one cluster."""
    (tmp_path / "training.py").write_text(TRAINING.replace("DATA", data))
    (tmp_path / "driver.py").write_text(DRIVER)
    found = [r for p in run_programs([tmp_path]) for r in p]
    told = [f for r in found for f in r.findings if f.code == "C107"]
    assert bool(told) is refused
    assert all("`data` may have another value in each task" in f.reason for f in told)
    assert refused or {r.status for r in found} == {Status.MIGRATED}
