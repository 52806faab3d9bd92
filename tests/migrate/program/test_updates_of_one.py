"""N191: two updates of one run by one optimizer that counts its updates."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """import tensorflow as tf
x = tf.placeholder(tf.float32, [])
v = tf.Variable(1.0)
w = tf.Variable(2.0)
loss = tf.square(v * w * x - 1.0)
first = tf.train.OPTIMIZER(0.1)
second = tf.train.OPTIMIZER(0.1)
of_v = first.compute_gradients(loss, [v])
of_w = OTHER.compute_gradients(loss, [w])
one = first.apply_gradients(of_v)
two = OTHER.apply_gradients(of_w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        RUN
"""
TOGETHER = "sess.run([one, two], {x: 1.0})"
IN_TURN = "sess.run(one, {x: 1.0})\n        sess.run(two, {x: 1.0})"


@pytest.mark.parametrize(
    ("optimizer", "other", "run", "told"),
    [
        ("AdamOptimizer", "first", TOGETHER, True),
        ("AdamOptimizer", "second", TOGETHER, False),
        ("AdamOptimizer", "first", IN_TURN, False),
        ("GradientDescentOptimizer", "first", TOGETHER, False),
    ],
)
def test_two_updates_by_one_adam_are_told(
    optimizer: str, other: str, run: str, told: bool
) -> None:
    text = PROGRAM.replace("OPTIMIZER", optimizer).replace("OTHER", other)
    done = migrate_text(text.replace("RUN", run))
    warned = [f for f in done.findings if f.outcome is Outcome.WARNED]
    assert ["N191"] * told == [f.code for f in warned]
    assert not any(f.blocks for f in done.findings)


ASSIGNED = """import tensorflow as tf
x = tf.placeholder(tf.float32, [])
w = tf.Variable(2.0)
old = tf.Variable(0.0, trainable=False)
loss = tf.square(w * x - 1.0)
keep = tf.assign(old, w)
with tf.control_dependencies([AWAITED]):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run([train, keep], {x: 1.0})
"""


@pytest.mark.parametrize(("awaited", "told"), [("keep", False), ("loss", True)])
def test_an_assignment_that_the_update_awaits_is_in_order(
    awaited: str, told: bool
) -> None:
    done = migrate_text(ASSIGNED.replace("AWAITED", awaited))
    assert ("N191" in {f.code for f in done.findings}) is told
    text = done.text
    assert told or text.index("assign(old, w)") < text.index("apply_gradients")
