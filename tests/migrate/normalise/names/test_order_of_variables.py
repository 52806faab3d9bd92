"""Checks that variables of one expression are made in Python's order."""

from __future__ import annotations

import re

import pytest

from migrate.compiler import migrate_text

PROGRAM = """\
import numpy as np
import tensorflow as tf


def net(x):
    w = tf.Variable(tf.zeros([3, 4]))
    return tf.matmul(x, w)


def weight(shape):
    return tf.Variable(tf.zeros(shape))


x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_sum({})
train_op = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, feed_dict={{x: np.ones((2, 3))}})
"""


@pytest.mark.parametrize(
    ("expression", "made"),
    [
        ("tf.matmul(x, weight([3, 4])) + weight([4])", "weight([3, 4]) weight([4])"),
        (
            "net(x) * tf.Variable([1., 2., 3., 4.]) + net(x)",
            "net() tf.Variable([1., 2., 3., 4.]) net()",
        ),
        (
            "tf.matmul(x, weight([3, 4]) * np.random.rand()) + np.random.rand() * weight([4])",
            "weight([3, 4]) np.random.rand() np.random.rand() weight([4])",
        ),
        (
            "{'a': tf.matmul(x, weight([3, 1])), 'b': weight([2])}['a']",
            "weight([3, 1]) weight([2])",
        ),
    ],
)
def test_order(expression: str, made: str) -> None:
    text = migrate_text(PROGRAM.format(expression)).text
    block, _ = text[text.rindex("return ", 0, text.index("optimizer =")) :].split(
        "optimizer ="
    )
    assert re.findall(r"^\w+ = (.*)$", block, re.MULTILINE) == re.findall(
        r"\S+\(.*?\)(?= |$)", made
    )
