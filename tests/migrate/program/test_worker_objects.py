"""Objects that a worker's loop changes: each worker has a copy of its own, as each worker's process had."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.options import Options

PROGRAM = """import heapq
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS
BEST = [5.0, 6.0]
SEEN = {1, 2}

cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()
else:
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.constant([[1.0], [2.0]])
        w = tf.get_variable("w", [1, 1])
        step = tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=step)
    with tf.train.MonitoredTrainingSession(server.target, FLAGS.task_index == 0) as sess:
        while not sess.should_stop():
            _, value = sess.run([train_op, loss])
            CHANGE
            print(len(BEST), len(SEEN))
"""


def _migrate(change: str) -> tuple[str, list[str]]:
    made = migrate_text(PROGRAM.replace("CHANGE", change), Options(), "program.py")
    refused = [f.reason for f in made.findings if f.outcome is Outcome.REFUSED]
    return made.text, refused


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("SEEN.add(3)", "SEEN"),
        ("SEEN.difference_update({1})", "SEEN"),
        ("SEEN.symmetric_difference_update({1})", "SEEN"),
        ("BEST.append(value)", "BEST"),
    ],
)
def test_every_worker_has_its_own(change: str, name: str) -> None:
    text, refused = _migrate(change)
    assert not refused
    assert f"\n{name} = " not in text or f"\n{name} = training_session.per_" in text


def test_what_takes_a_list_alone_is_refused() -> None:
    _, refused = _migrate("heapq.heappush(BEST, value)")
    assert any("by `heapq.heappush`" in reason for reason in refused)


def test_what_changes_nothing_is_shared() -> None:
    """A control."""
    text, refused = _migrate("heapq.nsmallest(1, BEST)")
    assert not refused and "\nBEST = [5.0, 6.0]\n" in text
