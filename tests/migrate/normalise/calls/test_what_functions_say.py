"""Functions that say whose names they use, or are no plain ones, where they are called."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome

PROGRAM = """import numpy as np
import tensorflow as tf
def layer(inputs, rows, columns, activation=None):
    w = tf.Variable(tf.zeros([rows, columns]) + 0.1)
    outputs = tf.nn.dropout(tf.matmul(inputs, w), keep)
    if activation is not None:
        outputs = activation(outputs)
    return outputs
def accuracy(points, labels):
    {}
    found = sess.run(prediction, feed_dict={{x: points, keep: 1}})
    right = tf.equal(tf.argmax(found, 1), tf.argmax(labels, 1))
    {}
keep = tf.placeholder(tf.float32)
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 3])
hidden = layer(x, 4, 5, activation=tf.nn.tanh)
prediction = layer(hidden, 5, 3, activation=tf.nn.softmax)
loss = tf.reduce_sum(prediction * y)
tf.summary.scalar("loss", loss)
merged = tf.summary.merge_all()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
writer = tf.summary.FileWriter("logs", sess.graph)
sess.run(tf.global_variables_initializer())
for i in range(3):
    sess.run(train, feed_dict={{x: np.ones((2, 4)), keep: 0.5, y: np.eye(3)[:2]}})
    writer.add_summary(sess.run(merged, feed_dict={{x: np.ones((2, 4)), keep: 0.5, y: np.eye(3)[:2]}}), i)
    print(accuracy(np.ones((2, 4)), np.eye(3)[:2]))
"""
RETURN = """total = tf.reduce_sum(tf.cast(right, tf.float32))
    result = sess.run(total, feed_dict={x: points, keep: 1, y: labels})
    return result"""


def left(findings: tuple[Finding, ...]) -> list[Finding]:
    return [f for f in findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)]


@pytest.mark.parametrize("said", ["global prediction", "global prediction, sess"])
def test_a_global_that_is_only_read_is_said_no_more(said: str) -> None:
    """`global` in a module's suite is an error where the name was used above."""
    done = migrate_text(PROGRAM.format(said, RETURN))
    assert not left(done.findings)
    compile(done.text, "program.py", "exec")
    assert "global" not in done.text and "def accuracy" not in done.text


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("global hidden", "hidden = right\n    " + RETURN),
        ("pass", RETURN.replace("return", "yield")),
    ],
)
def test_what_cannot_stand_where_it_is_called_is_refused(said: str, ends: str) -> None:
    done = migrate_text(PROGRAM.format(said, ends))
    assert {f.outcome for f in left(done.findings)} == {Outcome.REFUSED}
    assert "tf.placeholder" in done.text
