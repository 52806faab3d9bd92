"""A schedule's name does not number the tag of a summary that has it, as in TF1."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """import numpy as np
import tensorflow as tf
X = np.random.RandomState(0).randn(8, 4).astype('f')
x = tf.placeholder(tf.float32, [None, 4])
w = tf.get_variable('w', [4, 1], initializer=tf.constant_initializer(.1))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
gs = tf.train.get_or_create_global_step()
{made}
merged = tf.summary.merge_all()
with tf.Session() as sess:
    wr = tf.summary.FileWriter('ev')
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        s, _, l = sess.run([merged, train, {fetched}], {{x: X}})
        wr.add_summary(s, i)
        print(i, '%.5f' % l)
    wr.close()
"""
MADE = "lr = tf.train.exponential_decay(.05, gs, 4, .5, name='lr')\n"
TRAIN = "train = tf.train.GradientDescentOptimizer(lr).minimize(loss, global_step=gs)\n"
SUMMARY = "tf.summary.scalar('lr', lr)\n"
IN_SCOPE = f"with tf.name_scope('opt'):\n    {MADE}    {TRAIN}"
APART = "training_session.value_of(lr)"

# What is made, what is fetched, and what the step calls: tags measured with TF 1.15.5.
CASES = {
    "made in a scope": (IN_SCOPE + SUMMARY, "loss", [f"scalar('lr', {APART})"]),
    "capital letters": (
        IN_SCOPE + SUMMARY.replace("'lr'", "'LR'"),
        "loss",
        [f"scalar('LR', {APART})"],
    ),
    "the summary in a scope": (
        f"{MADE}{TRAIN}with tf.name_scope('s'):\n    {SUMMARY}",
        "loss",
        [f"scalar('lr', {APART})"],
    ),
    "two summaries": (
        MADE + SUMMARY + TRAIN + SUMMARY,
        "loss",
        ["scalar('lr', lr())", f"scalar('lr', {APART})"],
    ),
    "read before": (
        f"{MADE}loss = loss + 0. * lr\n{SUMMARY}{TRAIN}",
        "loss",
        [f"0. * {APART}", "scalar('lr', lr())"],
    ),
    "fetched": (
        MADE + TRAIN + SUMMARY,
        "lr",
        [f"lr_value = {APART}", "scalar('lr', lr())"],
    ),
}
SAME = {
    "one scope": MADE + TRAIN + SUMMARY,
    "another tag": IN_SCOPE + SUMMARY.replace("'lr'", "'rate'"),
    "no name": IN_SCOPE.replace(", name='lr'", "") + SUMMARY,
}


@pytest.mark.parametrize("made,fetched,expected", CASES.values(), ids=CASES)
def test_a_tag_is_not_numbered(made: str, fetched: str, expected: list[str]) -> None:
    migration = migrate_text(PROGRAM.format(made=made, fetched=fetched))
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    for part in expected:
        assert part in migration.text


@pytest.mark.parametrize("made", SAME.values(), ids=SAME)
def test_a_schedule_whose_name_no_tag_has_is_called_as_before(made: str) -> None:
    text = migrate_text(PROGRAM.format(made=made, fetched="loss")).text
    assert "value_of" not in text
    assert "lr())" in text
