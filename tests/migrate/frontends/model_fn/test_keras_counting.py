"""Functions that make metrics become methods that count, and where they keep a model_fn."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

_MODEL = """\
import tensorflow as tf


def metric_fn(labels, logits):
    classes = tf.argmax(logits, 1)
    return {"accuracy": tf.metrics.accuracy(labels, classes)}


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features["x"], 3)
    weights = features["weights"]
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = metric_fn(labels, logits)
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    train_op = tf.train.AdamOptimizer(0.01).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
"""


def _migrated(*changes: tuple[str, str]) -> Migration:
    text = _MODEL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    return migration


@pytest.mark.parametrize(
    "change",
    [
        ("metric_fn(labels, logits)\n        return", "metric_fn(logits=logits, labels=labels)\n        return"),
        ('    return {"accuracy": tf.metrics.accuracy(labels, classes)}', '    accuracy = tf.metrics.accuracy(labels, classes)\n    return dict(accuracy=accuracy)'),
        ('    return {"accuracy": tf.metrics.accuracy(labels, classes)}', '    value, update = tf.metrics.accuracy(labels, classes)\n    return {"accuracy": (value, update)}'),
        ("metric_fn(labels, logits)\n        return", "metric_fn(*[labels, logits])\n        return"),
        ("loss=loss, train_op=train_op)", "loss=loss, train_op=train_op, eval_metric_ops=metric_fn(labels, logits))"),
        ("labels, logits):\n    classes", "labels, logits, axis=1):\n    classes"),
    ],
)  # fmt: skip
def test_a_function_becomes_a_method(change: tuple[str, str]) -> None:
    migration = _migrated(change)
    assert not any(f.code == "K110" for f in migration.findings)
    assert "    def metric_fn(self, labels, logits" in migration.text
    assert "self.accuracy.update_state(labels, classes)\n" in migration.text
    assert "self.metric_fn(" in migration.text and "tf.metrics" not in migration.text
    assert "\ndef metric_fn" not in migration.text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            ("estimator = ", "print(metric_fn)\nestimator = "),
            "makes metrics, and other code uses it, too",
        ),
        (
            ("    classes = ", "    print(labels)\n    classes = "),
            "metric_fn() does more than make metrics",
        ),
        (
            ("    classes = ", "    tf.get_variable('v', [2])\n    classes = "),
            "metric_fn() does more than make metrics",
        ),
        (
            ("tf.argmax(logits, 1)", "tf.get_variable('v', [2])"),
            "a step of Keras cannot contain tf.get_variable",
        ),
        (
            ('return {"accuracy"', 'return {labels.name'),
            "the name of a metric is not written out",
        ),
        (
            ("tf.metrics.accuracy(labels, classes)", "tf.metrics.sensitivity_at_specificity(labels, logits, 0.5)"),
            "the tool knows no Keras metric that counts the same",
        ),
        (
            ("def metric_fn(labels, logits):", "def metric_fn(labels, *logits):"),
            "the tool cannot tell the arguments of metric_fn() apart",
        ),
    ],
)  # fmt: skip
def test_what_stays_and_why(change: tuple[str, str], reason: str) -> None:
    found = [f.reason for f in _migrated(change).findings if f.code == "K110"]
    assert found and reason in found[0]


def test_what_a_function_reads_of_around_it_is_given_to_it() -> None:
    inside = """\
        def count(labels, logits):
            return {"mean": tf.metrics.mean(logits, weights)}

        metrics = count(labels, logits)
"""
    change = ("        metrics = metric_fn(labels, logits)\n", inside)
    unused = _MODEL[_MODEL.index("def metric_fn") : _MODEL.index("def model_fn")]
    migration = _migrated((unused, ""), change)
    found = [f.reason for f in migration.findings if f.code == "K110"]
    assert not found
    assert "def count(self, labels, logits, weights):" in migration.text
    assert "self.count(labels, logits, weights)" in migration.text
