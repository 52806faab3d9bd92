"""The driver's own shape: what is written differently and means the same, and what not.

The programs in tests/programs that are written in these ways are also run.
"""

from __future__ import annotations

import textwrap

import pytest

from migrate.normalise import Text
from migrate.normalise.sessions.driver import shape_driver

HEAD = "import tensorflow as tf\n"


def shaped(text: str) -> str:
    source = shape_driver(Text.read_source(HEAD + textwrap.dedent(text))).source
    assert source.startswith(HEAD)
    return source[len(HEAD) :]


CHANGED = {
    "a server in either branch": (
        """
        if FLAGS.job_name == "ps":
            server = tf.train.Server(cluster, job_name="ps", task_index=FLAGS.index)
            server.join()
        else:
            server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.index)
            train(server)
        """,
        """
        server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.index)
        if FLAGS.job_name == "ps":
            server.join()
        else:
            train(server)
        """,
    ),
    "a session that is closed": (
        """
        sess = tf.train.MonitoredTrainingSession(server.target, hooks=hooks)
        while not sess.should_stop():
            sess.run(train)
        sess.close()
        print("done")
        """,
        """
        with tf.train.MonitoredTrainingSession(server.target, hooks=hooks) as sess:
            while not sess.should_stop():
                sess.run(train)
        print("done")
        """,
    ),
    "a session that is entered later": (
        """
        sess = tf.train.MonitoredTrainingSession(server.target)
        with sess:
            sess.run(train)
        """,
        """
        with tf.train.MonitoredTrainingSession(server.target) as sess:
            sess.run(train)
        """,
    ),
    "a session within another block": (
        """
        with open("log") as log:
            with tf.train.MonitoredTrainingSession(server.target) as sess:
                log.write(sess.run(loss))
        """,
        """
        with tf.train.MonitoredTrainingSession(server.target) as sess:
            with open("log") as log:
                log.write(sess.run(loss))
        """,
    ),
}
KEPT = {
    "servers of other clusters": """
        if FLAGS.job_name == "ps":
            server = tf.train.Server(ps_cluster, job_name="ps", task_index=0)
            server.join()
        else:
            server = tf.train.Server(cluster, job_name="worker", task_index=0)
        """,
    "a server of what the branch computes": """
        if FLAGS.job_name == "ps":
            index = 0
            server = tf.train.Server(cluster, job_name="ps", task_index=index)
            server.join()
        else:
            index = 1
            server = tf.train.Server(cluster, job_name="worker", task_index=index)
        """,
    "a session of what is opened around it": """
        with hooks() as made:
            with tf.train.MonitoredTrainingSession("", hooks=made) as sess:
                sess.run(loss)
        """,
}


@pytest.mark.parametrize(("old", "new"), CHANGED.values(), ids=CHANGED)
def test_is_written_in_one_way(old: str, new: str) -> None:
    assert shaped(old) == textwrap.dedent(new)
    assert shaped(new) == textwrap.dedent(new)


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_stays_as_it_is(text: str) -> None:
    assert shaped(text) == textwrap.dedent(text)
