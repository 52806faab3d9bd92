"""Blocks around what opens a session; sessions and trainers that are used later, or at once."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

TRAIN = """\
import tensorflow as tf


def train():
    x = tf.placeholder(tf.float32, [])
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(0.5))
    loss = tf.square(w * x - 1.0)
    op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(5):
            sess.run(op, {x: 1.0})


"""
INLINE = """\
import sys
import tensorflow as tf

with BLOCK:
    print("begins")
    if len(sys.argv) == 1:
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(0.5))
        op = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(5):
                sess.run(op)
    print("ends")
"""


@pytest.mark.parametrize(
    ("caller", "kept"),
    [
        ("with tf.Graph().as_default():\n    train()\n", "\ntrain()\n"),
        ("with tf.Graph().as_default() as graph:\n    train()\n", "\ntrain()\n"),
        (
            "with tf.Graph().as_default(), tf.device('/cpu:0'):\n    train()\n",
            "\nwith tf.device('/cpu:0'):\n    train()\n",
        ),
        (
            "graph = tf.Graph()\nwith graph.as_default():\n    # Trains.\n    train()\n",
            "\n# Trains.\ntrain()\n",
        ),
    ],
)
def test_a_graph_around_the_call_is_left_out(caller: str, kept: str) -> None:
    migration = migrate_text(TRAIN + caller)
    assert "as_default" not in migration.text
    assert migration.text.endswith(kept)
    line = 1 + (TRAIN + caller).split("\n").index(
        next(row for row in caller.split("\n") if row.startswith("with"))
    )
    assert (line, "S117") in {(f.line, f.code) for f in migration.findings}


def test_a_graph_around_something_else_stays() -> None:
    export = "def export():\n    print(tf.constant(1.0))\n\n\n"
    around = "train()\nwith tf.Graph().as_default():\n    export()\n"
    migration = migrate_text(TRAIN + export + around)
    assert migration.text.endswith(around)


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ("tf.Graph().as_default()", "S117"),
        ('tf.device("/cpu:0")', "C111"),
        ('tf.Graph().as_default(), tf.device("/cpu:0")', "S117"),
    ],
)
def test_a_block_around_the_branch_is_left_out(block: str, code: str) -> None:
    migration = migrate_text(INLINE.replace("BLOCK", block))
    assert not any(f.outcome is Outcome.REFUSED for f in migration.findings)
    assert (4, code) in {(f.line, f.code) for f in migration.findings}
    assert '\nprint("begins")\nif len(sys.argv) == 1:\n' in migration.text


def test_a_block_that_does_more_is_refused() -> None:
    program = INLINE.replace("BLOCK", 'opened("log") as log, tf.Graph().as_default()')
    found = {f.code for f in migrate_text(program).findings}
    assert "N101" in found


KEPT = """\
import tensorflow as tf

w = tf.get_variable("w", [], initializer=tf.constant_initializer(0.5))
step = tf.train.get_or_create_global_step()
op = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w), global_step=step)
session = tf.train.MonitoredTrainingSession(
    hooks=[tf.train.StopAtStepHook(last_step=4)])
# Rounds.
rounds = 0
with session as sess:
    while not sess.should_stop():
        sess.run(op)
        rounds += 1
"""


def test_a_session_is_entered_where_it_is_made() -> None:
    text = migrate_text(KEPT).text
    assert ") as sess:\n    # Rounds.\n    rounds = 0\n    while not" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rounds = 0\n", "rounds = 0\nprint(session)\n"),
        ("rounds += 1\n", "rounds += 1\nprint(session)\n"),
    ],
)
def test_a_session_that_is_used_otherwise_is_not(old: str, new: str) -> None:
    program = KEPT.replace(old, new)
    assert migrate_text(program).text.count("MonitoredTrainingSession") == 1
    assert any(f.outcome is Outcome.REFUSED for f in migrate_text(program).findings)


CLUSTER = """\
import contextlib
import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("job_name", "worker", "")
tf.app.flags.DEFINE_integer("task_index", 0, "")
FLAGS = tf.app.flags.FLAGS


@contextlib.contextmanager
def own_block():
    yield


def main(_):
    cluster = tf.train.ClusterSpec({
        "ps": ["localhost:2222"], "worker": ["localhost:2223", "localhost:2224"]})
    server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    setter = tf.train.replica_device_setter(cluster=cluster)
WITH
BODY
INSIDE
OUTSIDE

tf.app.run()
"""
BODY = """\
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""
RUN = """\
sess = tf.Session(server.target)
if FLAGS.task_index == 0:
    sess.run(tf.global_variables_initializer())
for i in range(3):
    print(sess.run([loss, train], {x: np.ones([2, 3])})[0])
"""


def _write(items: list[str], outside: bool) -> str:
    """A program with a graph in blocks, one in the other."""
    depth = " " * 4 * (len(items) + 1)
    blocks = [f"{' ' * 4 * (i + 1)}with {one}:" for i, one in enumerate(items)]
    text = CLUSTER.replace("WITH", "\n".join(blocks))
    text = text.replace("BODY", textwrap.indent(BODY, depth))
    text = text.replace("INSIDE\n", "" if outside else textwrap.indent(RUN, depth))
    return text.replace("OUTSIDE", textwrap.indent(RUN, "    ") if outside else "")


@pytest.mark.parametrize(
    ("mixed", "apart"),
    [
        (["tf.device(setter), own_block()"], ["tf.device(setter)", "own_block()"]),
        (["own_block(), tf.device(setter)"], ["own_block()", "tf.device(setter)"]),
        (
            ["tf.device(setter), tf.variable_scope('a')"],
            ["tf.device(setter)", "tf.variable_scope('a')"],
        ),
        (
            ["tf.device(setter), tf.name_scope('a'), tf.device('/cpu:0')"],
            ["tf.device(setter)", "tf.name_scope('a'), tf.device('/cpu:0')"],
        ),
    ],
)
def test_a_block_of_several_kinds_is_like_blocks_in_blocks(
    mixed: list[str], apart: list[str]
) -> None:
    """`with tf.device(setter), own_block():` left tf.device in the result (G009)."""
    found = migrate_text(_write(mixed, outside=True))
    assert not [
        f for f in found.findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    assert found.text == migrate_text(_write(apart, outside=True)).text


def test_the_block_that_keeps_a_session_is_named_alone() -> None:
    blocks = ["tf.Graph().as_default(), tf.device(setter), own_block()"]
    found = migrate_text(_write(blocks, outside=False)).findings
    refused = [f for f in found if f.code == "N101" and f.reason]
    assert refused[0].recipe == "Move the session out of the block `with own_block()`."
