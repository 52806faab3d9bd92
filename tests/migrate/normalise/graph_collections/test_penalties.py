"""A regulariser is left out where nothing reads its penalty, and is refused elsewhere."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
penalty = tf.contrib.layers.l2_regularizer(0.5)
with tf.variable_scope("s", regularizer=penalty):
    w = tf.get_variable("w", [2, 2], regularizer=tf.contrib.layers.l2_regularizer(0.1))
    h = tf.layers.dense((tf.matmul(x, w)), 2, kernel_regularizer=penalty, name="d")
loss = tf.reduce_mean(tf.square(h))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {x: np.ones([2, 2])})[1])
"""


def _told(text: str, outcome: Outcome) -> list[Finding]:
    found = migrate_text(text).findings
    return [f for f in found if f.code == "V103" and f.outcome is outcome]


def test_a_penalty_that_nothing_reads_is_left_out_and_told() -> None:
    migration = migrate_text(PROGRAM)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "regularizer=" not in migration.text
    told = _told(PROGRAM, Outcome.REWRITTEN)
    assert [f.line for f in told] == [6, 7, 8]
    assert all("trained without it" in f.reason for f in told)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.square(h))", "tf.square(h)) + tf.losses.get_regularization_loss()"),
        (
            "tf.square(h))",
            'tf.square(h)) + tf.add_n(tf.get_collection("regularization_losses"))',
        ),
        (
            "tf.square(h))",
            "tf.square(h)) + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))",
        ),
        ("tf.square(h))", "tf.square(h)) + sum(tf.get_collection(key))"),
        # Another file may read it, and a regulariser may do more than that.
        ("import numpy as np", "import numpy as np\nimport helpers"),
        ("penalty = tf.contrib.layers.l2_regularizer(0.5)", "penalty = made.append"),
        (
            "penalty = tf.contrib.layers.l2_regularizer(0.5)",
            "def penalty(v): made.append(v)",
        ),
    ],
)
def test_a_penalty_that_may_be_read_is_refused(old: str, new: str) -> None:
    assert PROGRAM.count(old) == 1
    text = PROGRAM.replace(old, new)
    assert [f for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED]
    assert not _told(text, Outcome.REWRITTEN)
