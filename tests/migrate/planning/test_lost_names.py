"""Checks that bindings and effects of the steps' code alone are not silently lost."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """import tensorflow as tf

from their_hooks import LossWriter


def main(directory):
    x = tf.placeholder(tf.float32, [None, 5])
    w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdagradOptimizer(0.02).minimize(loss, global_step=global_step)
    MADE
    with tf.train.MonitoredTrainingSession(hooks=HOOKS) as sess:
        while not sess.should_stop():
            sess.run(train_op, feed_dict={x: [[1.0] * 5]})


main("/tmp")
"""


def _refusals(made: str, hooks: str) -> list[tuple[str, str]]:
    done = migrate_text(PROGRAM.replace("    MADE\n", made).replace("HOOKS", hooks))
    stopped = (Outcome.REFUSED, Outcome.FAILED)
    return [
        (f.code, f.reason)
        for f in done.findings
        if f.outcome in stopped and f.code != "N100"
    ]


@pytest.mark.parametrize(
    ("made", "hooks"),
    [
        ("    hooks = [LossWriter(loss)]\n", "hooks"),
        ("    hook = LossWriter(loss)\n", "[hook]"),
        ("", "[LossWriter(loss)]"),
        ("    hooks = []\n    hooks.append(LossWriter(loss))\n", "hooks"),
        ("    hooks = []\n    hooks.extend([LossWriter(loss)])\n", "hooks"),
        ("    hooks = [LossWriter(directory)]\n", "hooks"),
        ("    hooks = []\n    hooks.append(LossWriter(directory))\n", "hooks"),
    ],
)
def test_a_hook_that_nobody_sees_is_refused(made: str, hooks: str) -> None:
    """It was dropped from the list without a word, or the result used an unbound name."""
    ((code, reason),) = _refusals(made, hooks)
    assert code == "H122" and "`their_hooks`" in reason


def test_a_list_that_receives_a_tensor_is_refused() -> None:
    made = "    seen = []\n    seen.append(loss)\n"
    ((code, reason),) = _refusals(made, "[tf.train.StopAtStepHook(len(seen))]")
    assert code == "S112" and "`seen`" in reason


def test_what_gets_no_tensor_stays() -> None:
    made = "    hooks = []\n    seen = []\n    seen.append(loss)\n"
    assert _refusals(made, "hooks") == []
