"""A graph that a branch of the workers builds is run in that branch."""

from __future__ import annotations

import pytest

from migrate.normalise.calls.early_ends import move_graph_into_branch
from migrate.normalise.text import Text

PROGRAM = """\
import tensorflow as tf

def main(_):
    cluster = tf.train.ClusterSpec({"ps": ps, "worker": workers})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=0)
    if FLAGS.job_name == "ps":
        server.join()
    elif FLAGS.job_name == "worker":
        loss = build()
    # The session.
    with tf.train.MonitoredTrainingSession(server.target) as sess:
        print(sess.run(loss))
"""
MOVED = """\
    else:
        loss = build()
        # The session.
        with tf.train.MonitoredTrainingSession(server.target) as sess:
            print(sess.run(loss))
"""
ELIF = '    elif FLAGS.job_name == "worker":\n'


def change(program: str) -> str:
    return move_graph_into_branch(Text.read_source(program)).source


@pytest.mark.parametrize("test", [ELIF, "    else:\n"])
def test_the_session_goes_where_its_graph_is(test: str) -> None:
    new = change(PROGRAM.replace(ELIF, test))
    assert new.endswith(MOVED)
    assert change(new) == new


@pytest.mark.parametrize(
    "other",
    [
        "cluster = tf.train.ClusterSpec({'ps': ps, 'worker': workers})",
        "everyone = tf.train.ClusterSpec({'ps': ps, 'worker': workers, 'chief': chiefs})",
    ],
)
def test_of_several_clusters_the_server_has_the_one_it_is_given(other: str) -> None:
    program = PROGRAM.replace("def main", f"{other}\ndef main")
    assert change(program).endswith(MOVED)
    # The server may have either.
    unknown = program.replace("Server(cluster,", "Server(choose(),")
    assert change(unknown) == unknown


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"worker": workers}', '"worker": workers, "chief": chiefs}'),  # Another job.
        ('{"ps": ps, "worker": workers}', "given"),  # Its jobs are not known.
        ('elif FLAGS.job_name == "worker"', "elif FLAGS.task_index"),
        ('elif FLAGS.job_name == "worker"', 'elif FLAGS.role == "worker"'),
        ("        server.join()", "        wait()"),  # It may return.
        ("    # The session.", "    loss = other"),  # It is bound again.
        ("sess.run(loss)", "sess.run(other)"),  # Nothing of the branch is read.
    ],
)
def test_what_is_not_known_stays(old: str, new: str) -> None:
    program = PROGRAM.replace(old, new)
    assert program != PROGRAM and change(program) == program
