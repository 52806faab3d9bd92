"""What a Scaffold or Supervisor runs before training: lost, if it does more than initialise."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

GRAPH = """\
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
tf.summary.scalar("loss", loss)
"""
SCAFFOLD = """\
scaffold = tf.train.Scaffold({}={})
with tf.train.MonitoredTrainingSession(
        scaffold=scaffold, hooks=[tf.train.StopAtStepHook(last_step=3)]) as sess:
    while not sess.should_stop():
        print(sess.run([train, loss], {{x: [[1.0, 2.0, 3.0]]}}))
"""
SUPERVISOR = """\
sv = tf.train.Supervisor(logdir=None, saver=None, {}={})
with sv.managed_session() as sess:
    for i in range(3):
        print(sess.run([train, loss], {{x: [[1.0, 2.0, 3.0]]}}))
"""
INIT = "init = tf.global_variables_initializer()\n"
MORE = "more = tf.assign(w, tf.ones([3, 1]))\n"
AFTER = "with tf.control_dependencies([{}]):\n    init = tf.group({})\n"
# Each: before the session, the argument, and its value.
QUIET = {
    "written out": ("", "init_op", "tf.global_variables_initializer()"),
    "by its name": (INIT, "init_op", "init"),
    "in a group": (INIT, "local_init_op", "tf.group(init, tf.tables_initializer())"),
    "in turn": (INIT + AFTER.format("init", "init"), "init_op", "init"),
    "either of two": (
        INIT + "if np.pi > 3:\n    init = tf.initialize_all_variables()\n",
        "init_op",
        "init",
    ),
    "of some variables": ("", "ready_op", "tf.report_uninitialized_variables([w])"),
}
LOUD = {
    "an assignment": (MORE, "init_op", "more"),
    "in a group with another": (INIT + MORE, "init_op", "tf.group(init, more)"),
    "behind an assignment": (
        MORE + AFTER.format("more", "tf.global_variables_initializer()"),
        "local_init_op",
        "init",
    ),
    "one of two": (INIT + MORE + "if np.pi > 3:\n    init = more\n", "init_op", "init"),
    "another test": ("", "ready_op", "tf.constant([], tf.string)"),
}


def _find_reasons(text: str) -> list[str]:
    findings = migrate_text(text).findings
    return [f.reason for f in findings if f.outcome is Outcome.REFUSED]


@pytest.mark.parametrize("session", [SCAFFOLD, SUPERVISOR])
@pytest.mark.parametrize(("before", "name", "value"), QUIET.values(), ids=QUIET)
def test_what_only_initialises_is_left_out(
    session: str, before: str, name: str, value: str
) -> None:
    assert not _find_reasons(GRAPH + before + session.format(name, value))


@pytest.mark.parametrize("session", [SCAFFOLD, SUPERVISOR])
@pytest.mark.parametrize(("before", "name", "value"), LOUD.values(), ids=LOUD)
def test_what_does_more_is_refused(
    session: str, before: str, name: str, value: str
) -> None:
    found = _find_reasons(GRAPH + before + session.format(name, value))
    assert any(reason.startswith(f"`{name}` does more") for reason in found)


def test_a_summary_that_is_not_the_merge_of_all_is_refused() -> None:
    merged = "merged = tf.summary.{}\n"
    assert not _find_reasons(
        GRAPH + merged.format("merge_all()") + SCAFFOLD.format("summary_op", "merged")
    )
    one = merged.format('scalar("one", loss)') + SCAFFOLD.format("summary_op", "merged")
    assert any("merge of all" in reason for reason in _find_reasons(GRAPH + one))


FEEDS = "{x: np.zeros([1, 3])}"


@pytest.mark.parametrize("session", [SCAFFOLD, SUPERVISOR])
def test_feeds_that_decide_no_first_value_are_left_out(session: str) -> None:
    assert not _find_reasons(GRAPH + session.format("init_feed_dict", FEEDS))


@pytest.mark.parametrize("session", [SCAFFOLD, SUPERVISOR])
@pytest.mark.parametrize("feeds", ["{x: input()}", "feeds"])
def test_other_feeds_are_refused(session: str, feeds: str) -> None:
    assert _find_reasons(GRAPH + session.format("init_feed_dict", feeds))
