"""The strategies look for the jobs of a cluster by their names: "ps" and "worker"."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome

PROGRAM = """\
import numpy as np
import tensorflow as tf
tf.app.flags.DEFINE_string("job_name", "", "")
tf.app.flags.DEFINE_integer("task_index", 0, "")
FLAGS = tf.app.flags.FLAGS
cluster = tf.train.ClusterSpec(JOBS)
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()
else:
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 3])
        w = tf.Variable(tf.zeros([3, 1]))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        train_op = optimizer.minimize(loss, global_step=step)
    is_chief = FLAGS.task_index == 0
    with tf.train.MonitoredTrainingSession(server.target, is_chief) as sess:
        for _ in range(3):
            sess.run(train_op, {x: np.ones([2, 3], np.float32)})
"""


def find_refusals(jobs: str) -> list[Finding]:
    found = migrate_text(PROGRAM.replace("JOBS", jobs)).findings
    return [f for f in found if f.outcome is Outcome.REFUSED and f.code != "N100"]


@pytest.mark.parametrize(
    ("jobs", "reason"),
    [
        ('{"worker": ["a:1"]}', 'the cluster has no job but "worker"'),
        ('{"params": ["a:1"], "worker": ["a:2"]}', 'jobs are "params" and "worker"'),
        ('{"ps": ["a:1"], "trainer": ["a:2"]}', 'jobs are "ps" and "trainer"'),
    ],
)
def test_other_jobs_are_refused(jobs: str, reason: str) -> None:
    """The migrated program ended with "There must be at least one ps" when it started."""
    [finding] = find_refusals(jobs)
    assert finding.code == "C101"
    assert reason in finding.reason


@pytest.mark.parametrize(
    "jobs",
    [
        '{"ps": ["a:1"], "worker": ["a:2"]}',
        '{"ps": ["a:1"], "chief": ["a:2"], "worker": ["a:3"]}',
        "read_jobs()",  # Known only when the program runs.
    ],
)
def test_usual_jobs_are_migrated(jobs: str) -> None:
    assert not find_refusals(jobs)


ONE = '{"ps": ["a:1"], "worker": ["a:2"]}'
TWO = '{"ps": ["a:1"], "worker": ["a:2", "b:1"]}'
ALONE = '{"worker": ["a:1"]}'
CHOSEN = {
    "by a dict": "cluster = {'x': FIRST, 'y': SECOND}[FLAGS.job_name[:1]]",
    "by get": "known = {'x': FIRST}\ncluster = known.get(FLAGS.job_name, SECOND)",
    "by a test": "cluster = FIRST if FLAGS.task_index else SECOND",
    "in branches": (
        "if FLAGS.task_index:\n    cluster = FIRST\nelse:\n    cluster = SECOND"
    ),
}


def choose(how: str, second: str) -> str:
    """The program with a cluster that it chooses of two, and a test of its job's name."""
    written = CHOSEN[how]
    for name, jobs in (("FIRST", ONE), ("SECOND", second)):
        written = written.replace(name, f"tf.train.ClusterSpec({jobs})")
    program = PROGRAM.replace("cluster = tf.train.ClusterSpec(JOBS)", written)
    return program.replace(
        "            sess.run(train_op",
        "            if FLAGS.job_name == 'worker':\n"
        "                print('trains')\n"
        "            sess.run(train_op",
    )


@pytest.mark.parametrize("how", CHOSEN)
def test_a_cluster_that_the_program_chooses(how: str) -> None:
    """No task of the clusters is a chief, so a worker's job is always "worker"."""
    found = migrate_text(choose(how, TWO)).findings
    assert not [f for f in found if f.blocks]


@pytest.mark.parametrize("how", CHOSEN)
def test_one_of_the_clusters_has_no_servers(how: str) -> None:
    found = migrate_text(choose(how, ALONE)).findings
    (finding,) = [f for f in found if f.blocks and f.code != "N100"]
    assert finding.code == "C101"
    assert 'one of the clusters has no job but "worker"' in finding.reason
