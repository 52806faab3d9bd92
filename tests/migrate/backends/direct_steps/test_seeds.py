"""Initial values that are drawn with a seed are TensorFlow 1's, without a session."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from tests import ledger
from tests.migrate.backends import running

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
a = tf.Variable(tf.random_normal([2, 3], seed=1))
b = tf.Variable(tf.random_normal([3, 1], seed=1))
c = tf.Variable(tf.truncated_normal([1], seed=1))
y = tf.matmul(tf.matmul(x, a), b) + c
loss = tf.reduce_mean(tf.square(y - 1.0))
train = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for v in (a, b, c):
        print(["%.5f" % e for e in sess.run(v).ravel()])
    for i in range(3):
        print("%.4f" % sess.run([train, loss], {x: [[0.1, 0.2]]})[1])
"""
ANEW = "# The seed begins anew.\ntf.random.set_seed(None)\n"


def test_a_seed_begins_anew_where_it_is_drawn_again() -> None:
    text = migrate_text(PROGRAM).text
    assert "ession" not in text
    assert f"{ANEW}b = tf.Variable" in text and f"{ANEW}c = tf.Variable" in text
    others = PROGRAM.replace("[3, 1], seed=1", "[3, 1], seed=2").replace(
        "[1], seed=1", "[1], seed=3"
    )
    assert "tf.function" in migrate_text(others).text
    assert "set_seed" not in migrate_text(others).text


@pytest.mark.parametrize("wrong", [False, True])
def test_the_values_are_those_of_tensorflow_1(
    wrong: bool, tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    text = migrate_text(PROGRAM).text
    new = text.replace("tf.random.set_seed(None)", "pass") if wrong else text
    printed = running.print_both(tf1, PROGRAM, new, tmp_path)
    assert printed[0].count("\n") == 6
    assert (printed[0] == printed[1]) is not wrong


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Of a graph's seed and an operation's TensorFlow 2 makes other ones.
        ("x = tf.placeholder", "tf.set_random_seed(5)\nx = tf.placeholder"),
        (
            "b = tf.Variable(tf.random_normal([3, 1], seed=1))\n",
            "start = tf.random_normal_initializer(seed=1)\n"
            "b = tf.get_variable('b', [3, 1], initializer=start)\n"
            "d = tf.get_variable('d', [3, 1], initializer=start)\n",
        ),
        (
            "a = tf.Variable(tf.random_normal([2, 3], seed=1))\n",
            "def weight(shape):\n    return tf.Variable(tf.random_normal(shape, seed=1))"
            "\n\n\na = weight([2, 3])\n",
        ),
    ],
)
def test_what_may_draw_otherwise_keeps_its_session(old: str, new: str) -> None:
    assert old in PROGRAM
    text = migrate_text(PROGRAM.replace(old, new)).text
    assert "@tf.function" not in text
