"""Checks that rounding of TensorFlow's kernels is measured and is no difference."""

from __future__ import annotations

import pathlib

import pytest

from reference.verify.verdict import Outcome
from tests.verify.support import copied, migrated, unproven, verified

# A logistic regression whose loss comes near zero: each `log` of a number near one has
# another last bit, and the sum of these is a large part of so small a loss.
PROGRAM = """\
import tensorflow as tf

x_data = [[1.0, 2.0], [2.0, 3.0], [3.0, 1.0], [4.0, 3.0], [5.0, 3.0], [6.0, 2.0]]
y_data = [[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]]
x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(tf.random_normal([2, 1]), name="weight")
b = tf.Variable(tf.random_normal([1]), name="bias")
p = tf.sigmoid(tf.matmul(x, w) + b)
cost = -tf.reduce_mean(y * tf.log(p) + (1 - y) * tf.log(1 - p))
train = tf.train.GradientDescentOptimizer(learning_rate=0.01).minimize(cost)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(200):
        value, _ = sess.run([cost, train], {x: x_data, y: y_data})
"""


def test_rounding_of_kernels_is_no_difference(tmp_path: pathlib.Path) -> None:
    (tmp_path / "given").mkdir()
    given = tmp_path / "given" / "logistic.py"
    given.write_text(PROGRAM)
    old = copied(given, tmp_path / "old")
    new = migrated(old, tmp_path / "new")
    verdict = verified(old, new, tmp_path / "work", steps=200)
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    if "kernels" not in verdict.line:
        pytest.skip("on this processor the kernels' rounding is within other bounds")
    said = [text for text in verdict.reduced if "compat.v1" in text]
    assert len(said) == 1 and "kernels" in verdict.line


def test_a_rate_that_is_wrong_by_little_is_seen(tmp_path: pathlib.Path) -> None:
    (tmp_path / "given").mkdir()
    given = tmp_path / "given" / "logistic.py"
    given.write_text(PROGRAM)
    old = copied(given, tmp_path / "old")
    fault = ("learning_rate=0.01", "learning_rate=0.010002")
    new = migrated(old, tmp_path / "new", fault)
    verdict = verified(old, new, tmp_path / "work", steps=200)
    assert verdict.outcome is Outcome.DIFFERENT
