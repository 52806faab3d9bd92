"""Streaming metrics of a session's program: what is refused. See test_alone.py too."""

from __future__ import annotations

import importlib
import inspect
import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.tables import streaming_metrics as table

PROGRAM = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]), name="w")
out = tf.squeeze(tf.matmul(x, w), 1)
loss = tf.reduce_mean(out)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
ones = np.ones([3, 2])
# METRIC
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.local_variables_initializer())
    sess.run(train_op, {x: ones})
    # MORE
"""


def _migrated(metric: str, more: str, program: str = PROGRAM) -> tuple[str, set[str]]:
    text = program.replace("# METRIC", metric).replace("# MORE", more)
    migration = migrate_text(text)
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    return migration.text, refused


@pytest.mark.parametrize(
    ("metric", "more"),
    [
        ("m = tf.metrics.mean_tensor(out)", "sess.run(m, {x: ones})"),
        (
            "v, u = tf.metrics.mean(out, updates_collections=['updates'])",
            "sess.run(u, {x: ones})",
        ),
        # `pair[0]` alone did not count.
        (
            "v, u = tf.metrics.mean(out)\npair = [v, u]\nfirst = pair[0] * 2",
            "print(sess.run(first, {x: ones}))",
        ),
        # One more local variable, which the initialiser would reset too.
        (
            "v, u = tf.metrics.mean(out)\nown = tf.Variable(1.0, trainable=False, "
            "collections=[tf.GraphKeys.LOCAL_VARIABLES])",
            "print(sess.run([u, own], {x: ones}))",
        ),
    ],
)
def test_other_metrics_are_refused(metric: str, more: str) -> None:
    text, refused = _migrated(metric, more)
    assert "M120" in refused
    assert "streaming_metrics" not in text


def test_a_summary_that_counts_is_refused_where_the_session_writes_it() -> None:
    monitored = PROGRAM.replace(
        "tf.Session()", "tf.train.MonitoredTrainingSession(checkpoint_dir='/tmp/x')"
    ).replace("    sess.run(tf.global_variables_initializer())\n", "")
    monitored = monitored.replace(
        "    sess.run(tf.local_variables_initializer())\n", ""
    )
    step = "tf.train.get_or_create_global_step()\n"
    metric = f"{step}v, u = tf.metrics.mean(out)\ntf.summary.scalar('mean', "
    assert "M120" in _migrated(f"{metric}u)", "pass", monitored)[1]
    assert not _migrated(f"{metric}v)", "pass", monitored)[1]


def test_a_summary_that_counts_counts_where_it_is_run() -> None:
    metric = "v, u = tf.metrics.mean(out)\ntf.summary.scalar('mean', u)\n"
    metric += "merged = tf.summary.merge_all()"
    text, refused = _migrated(metric, "sess.run(merged, {x: ones})")
    assert not refused
    trained = text.partition("def train_step")[2].partition("def ")[0]
    assert ".update(" not in trained
    assert text.count(".update(") == 1


def test_a_value_beside_its_update_is_told() -> None:
    metric = "v, u = tf.metrics.mean(out)"
    text = PROGRAM.replace("# METRIC", metric).replace(
        "# MORE", "print(sess.run([v, u], {x: ones}))"
    )
    migration = migrate_text(text)
    assert "N191" in {f.code for f in migration.findings}
    assert migration.text.index("v = v_metric.value()") < migration.text.index(
        "u = v_metric.update"
    )


def test_parameters_are_those_of_tensorflow() -> None:
    metrics = importlib.import_module("tensorflow").compat.v1.metrics
    names = {n for n in dir(metrics) if not n.startswith("_")} - {"mean_tensor"}
    assert {f"tf.metrics.{n}" for n in names} == set(table.PARAMETERS)
    for name in names:
        function = inspect.unwrap(getattr(metrics, name))
        own = tuple(inspect.signature(function).parameters)
        assert own == table.PARAMETERS[f"tf.metrics.{name}"], name


@pytest.mark.parametrize(
    ("metric", "refused"),
    [
        ("v, u = tf.contrib.metrics.streaming_mean(out)", False),
        ("v, u = tf.contrib.metrics.streaming_covariance(out, out)", True),
        ("count = tf.contrib.metrics.streaming_mean\nv, u = count(out)", True),
        (
            "v, u = tf.contrib.metrics.streaming_mean("
            "tf.contrib.metrics.streaming_mean(out)[1])",
            True,
        ),
    ],
)
def test_metrics_of_contrib_are_those_that_they_call(
    metric: str, refused: bool
) -> None:
    assert bool(_migrated(metric, "print(sess.run(u, {x: ones}))")[1]) == refused


def test_metrics_of_contrib_in_a_model_fn_are_those_of_tensorflow() -> None:
    path = pathlib.Path(__file__).parents[3] / "reference/estimator_classifier/tf1.py"
    both = path.read_text()
    of_contrib = both
    for core, contrib, by_name in (
        (
            'tf.metrics.accuracy(labels, classes, name="accuracy_op")',
            'tf.contrib.metrics.streaming_accuracy(classes, labels, name="accuracy_op")',
            'tf.metrics.accuracy(predictions=classes, labels=labels, name="accuracy_op")',
        ),
        (
            "tf.metrics.mean(cross_entropy)",
            "tf.contrib.metrics.streaming_mean(cross_entropy)",
            "tf.metrics.mean(values=cross_entropy)",
        ),
    ):
        assert core in both
        both = both.replace(core, by_name)
        of_contrib = of_contrib.replace(core, contrib)
    migration = migrate_text(of_contrib)
    assert migration.text == migrate_text(both).text != of_contrib
    assert "tf.contrib.metrics.streaming_mean" in {f.symbol for f in migration.findings}
