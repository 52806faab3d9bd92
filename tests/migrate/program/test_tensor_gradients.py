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


PENALTY = """\
import numpy as np
import tensorflow as tf
def critic(x):
    with tf.variable_scope("critic", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [2, 1])
        return tf.tanh(tf.matmul(x, w))
def penalty(real, fake):
    mixed = 0.5 * real + 0.5 * fake
    slopes = tf.gradients(critic(mixed), mixed)[0]
    return tf.reduce_mean(tf.square(slopes))
real = tf.placeholder(tf.float32, [4, 2])
fake = tf.placeholder(tf.float32, [4, 2])
LOSS
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        feed = {real: np.ones([4, 2]), fake: np.zeros([4, 2])}
        print(sess.run([loss, train], feed)[0])
"""


@pytest.mark.parametrize(
    "loss",
    [
        "score = tf.reduce_mean(critic(fake) ** 2 - critic(real))\n"
        "more = penalty(real, fake)\nloss = score + 2. * more",
        "loss = tf.reduce_mean(critic(fake) ** 2) - tf.reduce_mean(critic(real)) "
        "+ 2. * penalty(real, fake)",
        "loss = 2. * penalty(real, fake) + tf.reduce_mean(critic(fake))",
        "loss = tf.reduce_mean(critic(fake))\nloss -= tf.reduce_mean(critic(real))\n"
        "loss += 2. * penalty(real, fake)",
        "loss = tf.reduce_mean(critic(fake)) - (tf.reduce_mean(critic(real)) "
        "- 2. * penalty(real, fake))",
    ],
)
def test_a_penalty_in_a_function_shares_the_critic(loss: str) -> None:
    """The function enters a scope that the program enters, too: it is brought there."""
    done = migrate_text(PENALTY.replace("LOSS", loss))
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    assert done.text.count("= critic()") == 1  # The variables are made once.
    assert "# From penalty:" in done.text


def test_what_is_computed_before_stays_before() -> None:
    """An argument that is computed before the penalty gets a name before it."""
    loss = "loss = tf.add(tf.reduce_mean(critic(fake)), 2. * penalty(real, fake))"
    done = migrate_text(PENALTY.replace("LOSS", loss))
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    first = done.text.index("reduce_mean_value = tf.reduce_mean(")
    assert first < done.text.index("# From penalty:")
