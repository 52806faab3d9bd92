"""Blocks around what opens a session; sessions and trainers that are used later, or at once."""

from __future__ import annotations

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
    program = INLINE.replace("BLOCK", 'open("log") as log, tf.Graph().as_default()')
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
