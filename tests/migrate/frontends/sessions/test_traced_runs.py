"""Run calls that fill run metadata for a writer: a profile of the step stands for them."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests import ledger
from tests.migrate.backends import running

GRAPH = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
tf.summary.scalar("loss", loss)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
merged = tf.summary.merge_all()
sess = tf.Session()
writer = tf.summary.FileWriter("logs/train")
sess.run(tf.global_variables_initializer())
"""
TUTORIAL = """\
for i in range(4):
    if i % 2 == 1:  # Record what the step takes.
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        metadata = tf.RunMetadata()
        # The traced step.
        summary, value, _ = sess.run([merged, loss, train],
                                     feed_dict={x: [[1.0, 2.0, 3.0]]},
                                     options=options,
                                     run_metadata=metadata)
        writer.add_run_metadata(metadata, "step%03d" % i)
        writer.add_summary(summary, i)
    else:
        value, _ = sess.run([loss, train], {x: [[1.0, 2.0, 3.0]]})
    print(i, "%.5f" % value)
writer.close()
"""
BEFORE = """\
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
metadata = tf.RunMetadata()
for i in range(4):
    value, _ = sess.run([loss, train], {x: [[1.0, 2.0, 3.0]]}, options, metadata)
    writer.add_run_metadata(metadata, "step%03d" % i, i)
    print(i, "%.5f" % value)
"""
PROFILED = {"tutorial": TUTORIAL, "made before the loop": BEFORE}
_RUN = "value, _ = sess.run([loss, train], {x: [[1.0, 2.0, 3.0]]}, options, metadata)"
REFUSED = {
    "the trace is read": BEFORE + "print(metadata.step_stats)\n",
    "no writer gets it": BEFORE.replace("    writer.add_run", "    print"),
    "the tag has an effect": BEFORE.replace('"step%03d" % i', "next(tags)"),
    "two runs fill it": BEFORE.replace(_RUN, f"{_RUN}\n    {_RUN}"),
    "it has a time limit": BEFORE.replace(
        "FULL_TRACE)", "FULL_TRACE, timeout_in_ms=9)"
    ),
    "threads run steps": (
        "import threading\n" + BEFORE + "threading.Thread(target=print).start()\n"
    ),
    "it is another's": BEFORE.replace(
        "metadata = tf.RunMetadata()", "metadata = kept = tf.RunMetadata()"
    ),
}


@pytest.mark.parametrize("loop", PROFILED.values(), ids=PROFILED)
def test_a_profile_stands_around_the_step(loop: str) -> None:
    new = migrate_text(GRAPH + loop)
    assert not [f for f in new.findings if f.outcome is Outcome.REFUSED]
    assert "with tf.profiler.experimental.Profile(writer.get_logdir()):" in new.text
    told = {f.line for f in new.findings if f.code == "S108"}
    assert len(told) == 3  # The options, the metadata, and the run.


def test_its_comment_stays_above() -> None:
    new = migrate_text(GRAPH + TUTORIAL).text
    assert "# The traced step.\n        with tf.profiler" in new


@pytest.mark.parametrize("loop", REFUSED.values(), ids=REFUSED)
def test_another_use_of_the_trace_is_refused(loop: str) -> None:
    new = migrate_text(GRAPH + loop)
    assert "S108" in {f.code for f in new.findings if f.outcome is Outcome.REFUSED}
    assert "profiler" not in new.text


@pytest.mark.parametrize("name", PROFILED)
def test_it_logs_what_tensorflow_1_logs(
    name: str, tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    old = GRAPH + PROFILED[name]
    printed = running.print_both(tf1, old, migrate_text(old).text, tmp_path)
    assert printed[0] == printed[1]
    assert printed[0].count("\n") == 4
    assert [*tmp_path.glob("1/logs/train/plugins/profile/*/*.xplane.pb")]
