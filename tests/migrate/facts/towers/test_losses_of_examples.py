"""Towers whose losses are tensors with a loss for each example."""

from __future__ import annotations

import pytest

from migrate.normalise.text import Text
from migrate.normalise.towers import convert_to_replicas

PROGRAM = """\
import tensorflow as tf


def tower_loss(x, y):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [3, 1])
    return tf.square(tf.matmul(x, w) - y)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
xs, ys = tf.split(x, 2), tf.split(y, 2)
opt = tf.train.GradientDescentOptimizer(0.1)
losses = []
for i in range(2):
    with tf.device("/gpu:%d" % i):
        loss = tower_loss(xs[i], ys[i])
        losses.append(loss)
whole = tf.reduce_mean(losses)
train_op = opt.minimize(whole)
with tf.Session() as sess:
    sess.run(train_op)
"""
WHOLE = "tf.reduce_mean(losses)"


def _write(whole: str, text: str = PROGRAM) -> str | None:
    towers = convert_to_replicas(Text.read_source(text.replace(WHOLE, whole)))
    if towers is None:
        return None
    line = next(li for li in towers.text.lines if li.startswith("train_op"))
    return line.removeprefix("train_op = opt.minimize(").removesuffix(")")


@pytest.mark.parametrize(
    ("whole", "own"),
    [
        (WHOLE, "tf.reduce_mean(loss)"),
        ("tf.reduce_mean(tf.concat(losses, 0))", "tf.reduce_mean(loss)"),
        ("tf.reduce_mean(tf.stack(losses))", "tf.reduce_mean(loss)"),
        ("tf.reduce_mean(tf.add_n(losses)) / 2", "tf.reduce_mean(loss)"),
        ("tf.reduce_mean(tf.add_n(losses))", "tf.reduce_mean(loss) * 2"),
        ("tf.reduce_sum(losses)", "tf.reduce_sum(loss) * 2"),
        ("tf.reduce_sum(tf.concat(losses, 0)) / 2", "tf.reduce_sum(loss)"),
        # The update minimises each of their elements.
        ("tf.add_n(losses) / 2", "loss"),
        ("tf.reduce_mean(tf.stack(losses), axis=0)", "loss"),
        ("tf.add_n(losses)", "loss * 2"),
        # Another part of all losses.
        ("tf.reduce_sum(losses) / 4", None),
        ("tf.reduce_mean(losses[:1])", None),
        ("tf.reduce_mean(tf.concat(losses, 1))", None),
        ("tf.reduce_max(losses)", None),
    ],
)
def test_what_is_minimised(whole: str, own: str | None) -> None:
    assert _write(whole) == own


@pytest.mark.parametrize(
    "returned",
    [
        "tf.reduce_mean(tf.square(tf.matmul(x, w) - y))",
        "tf.losses.mean_squared_error(y, tf.matmul(x, w))",
        "0.5 * tf.reduce_sum(tf.matmul(x, w)) + tf.nn.l2_loss(w)",
    ],
)
def test_one_number_is_not_reduced(returned: str) -> None:
    text = PROGRAM.replace("tf.square(tf.matmul(x, w) - y)", returned)
    assert text != PROGRAM
    assert _write(WHOLE, text) == "loss"


@pytest.mark.parametrize(
    "returned",
    [
        "tf.reduce_mean(tf.square(tf.matmul(x, w) - y), axis=1)",
        "tf.losses.mean_squared_error(y, tf.matmul(x, w), reduction='none')",
        "tf.reduce_mean(x) + tf.matmul(x, w)",
        "tf.identity(tf.matmul(x, w))",
    ],
)
def test_what_may_be_more_numbers_is_reduced(returned: str) -> None:
    text = PROGRAM.replace("tf.square(tf.matmul(x, w) - y)", returned)
    assert _write(WHOLE, text) == "tf.reduce_mean(loss)"
