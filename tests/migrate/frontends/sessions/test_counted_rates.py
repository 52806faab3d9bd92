"""Several updates of a run that count the global step, and rates that depend on it."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
step = tf.Variable(0, trainable=False, name="global_step")
other = tf.Variable(0, trainable=False)
w = tf.Variable(tf.ones([3, 1]))
v = tf.Variable(tf.ones([3, 1]))
rate = tf.train.exponential_decay(0.1, step, 2, 0.5)
opt = tf.train.GradientDescentOptimizer(rate)
real = tf.reduce_mean(tf.square(tf.matmul(x, w)))
fake = tf.reduce_mean(tf.square(tf.matmul(x, v) - 1.0))
UPDATES
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        sess.run(RUN, {x: np.ones([2, 3])})
"""
FIRST = "first = opt.minimize(real, step, var_list=[w])\n"
SECOND = "second = tf.train.AdamOptimizer(rate).minimize(fake, step, var_list=[v])\n"


def _refuse(updates: str, run: str = "[first, second]") -> list[tuple[str, str]]:
    text = PROGRAM.replace("UPDATES\n", updates).replace("RUN", run)
    lines = text.split("\n")
    return [
        (f.code, lines[f.line - 1].partition(" ")[0])
        for f in migrate_text(text).findings
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    ]


@pytest.mark.parametrize(
    ("updates", "run"),
    [
        (FIRST + SECOND, "[first, second]"),
        (FIRST + SECOND + "train = tf.group(first, second)\n", "train"),
        (
            FIRST + SECOND.replace("(rate)", "(tf.train.cosine_decay(0.1, step, 9))"),
            "[first, second]",
        ),
        (
            FIRST + "second = opt.minimize(fake, var_list=[v])\n",
            "[first, second]",
        ),
    ],
)
def test_a_rate_after_the_count_is_refused(updates: str, run: str) -> None:
    """TensorFlow 1.15.5 gave both updates one rate; the second had that of a step later.

    Of two plain descents with the rate 0.1 * 0.5 ** (step / 2), after the first run: TF
    1.15.5 had 1.44 and 0.64, the migrated program 1.44 and 1.326.
    """
    assert _refuse(updates, run) == [("S136", "second")]


@pytest.mark.parametrize(
    ("updates", "run"),
    [
        (FIRST + SECOND, "first"),
        (FIRST + SECOND.replace("(rate)", "(0.1)"), "[first, second]"),
        (FIRST.replace("step", "other") + SECOND, "[first, second]"),
        (FIRST.replace(" step,", "") + SECOND, "[first, second]"),
        (  # The recipe.
            FIRST.replace(" step,", "")
            + SECOND.replace(" step,", "")
            + "with tf.control_dependencies([first, second]):\n"
            "    train = tf.assign_add(step, 2)\n",
            "train",
        ),
    ],
)
def test_a_rate_before_the_count_migrates(updates: str, run: str) -> None:
    assert _refuse(updates, run) == []
