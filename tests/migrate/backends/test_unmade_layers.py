"""Layers that no step applies: their variables are in no checkpoint."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
y = tf.layers.dense(x, 1, name="used")
z = {}
loss = tf.reduce_mean(tf.square(y - 1.0))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
{}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss{}], {{x: [[1.0, 2.0, 3.0]]}}))
"""
LAYER = 'tf.layers.dense(x, 2, name="unused")'


def _find_warned(layer: str = LAYER, saver: str = "", fetch: str = "") -> list[int]:
    found = migrate_text(PROGRAM.format(layer, saver, fetch)).findings
    return [
        f.line
        for f in found
        if f.outcome is Outcome.WARNED and "no run call needs this layer" in f.reason
    ]


@pytest.mark.parametrize(
    "saver", ["saver = tf.train.Saver()", "print(len(tf.trainable_variables()))"]
)
def test_a_layer_that_no_step_applies_is_told(saver: str) -> None:
    assert _find_warned(saver=saver) == [4]


def test_others_are_not() -> None:
    saver = "saver = tf.train.Saver()"
    assert not _find_warned()  # Nothing sees its variables.
    assert not _find_warned(saver=saver, fetch=", z")
    assert not _find_warned("tf.layers.flatten(x)", saver)
    again = 'tf.layers.dense(x, 1, name="used", reuse=True)'
    assert not _find_warned(again, saver)
