"""`tf.gradients` by tensors of a step stays; by variables it becomes the tape's."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [4, 2])
w = tf.get_variable("w", [2, 3])
v = tf.get_variable("v", [3, 1])
h = tf.tanh(tf.matmul(x, w))
y = tf.matmul(h, v)
GRADIENTS
loss = tf.reduce_mean(tf.square(y)) + tf.reduce_mean(tf.square(g))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([loss, train], {x: np.ones([4, 2])})[0])
"""


def _migrate(gradients: str) -> tuple[str, set[str]]:
    done = migrate_text(PROGRAM.replace("GRADIENTS", gradients))
    assert not any(f.outcome is Outcome.FAILED for f in done.findings)
    refused = {f.code for f in done.findings if f.outcome is Outcome.REFUSED}
    return done.text, refused - {"N100"}


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("g = tf.gradients(y, x)[0]", "g = tf.gradients(y, x)[0]"),
        ("g, = tf.gradients(ys=y, xs=[x])", "g, = tf.gradients(ys=y, xs=[x])"),
        ("g = tf.gradients(y, (h,), 2. * y)[0]", "tf.gradients(y, (h,), 2. * y)[0]"),
        (
            "g = tf.gradients(y, [h, x], stop_gradients=[h])[0]",
            "g = tf.gradients(y, [h, x], stop_gradients=[h])[0]",
        ),
        # TensorFlow 2 lacks one argument, and has the next in its place.
        (
            "g = tf.gradients(y, h, None, 'up', True, False)[0]",
            "tf.gradients(y, h, grad_ys=None, name='up', gate_gradients=False)[0]",
        ),
        (
            "inside = [h]\nfor _ in range(2):\n    inside.append(tf.nn.relu(inside[-1]))\n"
            "z = tf.reduce_sum(inside[-1])\ng = tf.gradients(z, inside[1])[0]",
            "g = tf.gradients(z, inside[1])[0]",
        ),
    ],
)
def test_gradients_by_tensors_stay(written: str, kept: str) -> None:
    """A step function is traced into a graph; the tape around it records these, too."""
    text, refused = _migrate(written)
    assert not refused
    assert kept in text
    assert text.index("tf.GradientTape()") < text.index(kept)


@pytest.mark.parametrize(
    "written",
    [
        "g = tf.gradients(y, [w, v])[0]",
        "g = tf.gradients(y, tf.trainable_variables())[0]",
        "g = tf.gradients(y, tf.trainable_variables()[1:])[0]",
        "mine = [a for a in tf.trainable_variables() if 'w' in a.name]\n"
        "g = tf.gradients(y, mine)[0]",
        "def choose():\n    return tf.trainable_variables()[:1]\n"
        "chosen = choose()\ng = tf.gradients(y, chosen)[0]",
        "g = tf.gradients(y, [x, w])[0]",
    ],
)
def test_a_loss_of_gradients_by_variables_is_refused(written: str) -> None:
    """In a cluster the variables stand elsewhere, and tf.gradients does not find them."""
    _, refused = _migrate(written)
    assert refused
