"""Moving averages and Scaffolds of Keras models, and where they keep a model_fn."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

_MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    y = tf.layers.dense(features["x"], 1, name="y")
    ema = tf.train.ExponentialMovingAverage(0.9)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.losses.mean_squared_error(labels, y)
    if mode == tf.estimator.ModeKeys.EVAL:
        saver = tf.train.Saver(ema.variables_to_restore())
        scaffold = tf.train.Scaffold(saver=saver)
        return tf.estimator.EstimatorSpec(mode, loss=loss, scaffold=scaffold)
    step = tf.train.get_global_step()
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
    with tf.control_dependencies([train_op]):
        train_op = ema.apply(tf.trainable_variables())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
"""
_UPDATE = """\
    with tf.control_dependencies([train_op]):
        train_op = ema.apply(tf.trainable_variables())
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
    "update",
    [
        _UPDATE,
        _UPDATE.replace("tf.trainable_variables()", ""),
        _UPDATE.replace("train_op = ema", "averages_op = ema")
        + "    with tf.control_dependencies([averages_op]):\n"
        + '        train_op = tf.no_op(name="train")\n',
    ],
)
def test_averages_follow_the_update(update: str) -> None:
    migration = _migrated((_UPDATE, update))
    assert not any(f.code == "K110" for f in migration.findings)
    assert (
        "self.optimizer.apply_gradients(zip(gradients, variables))\n"
        "        self.ema.apply(self.trainable_variables)\n"
    ) in migration.text
    assert (
        "    def evaluation_scaffold(self):\n"
        "        ema = estimator_loop.ExponentialMovingAverage(0.9)\n"
        "        saver = estimator_loop.Saver(ema.variables_to_restore())\n"
        "        scaffold = estimator_loop.Scaffold(saver=saver)\n"
        "        return scaffold\n"
    ) in migration.text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            (_UPDATE, "    train_op = tf.group(train_op, ema.apply())\n"),
            "its train_op is not a single call of an optimizer",
        ),
        (
            (
                "ema.apply(tf.trainable_variables())",
                "ema.apply([v for v in tf.trainable_variables() if 'k' in v.name])",
            ),
            "its moving averages are of only some variables",
        ),
        (
            (
                "ExponentialMovingAverage(0.9)",
                "ExponentialMovingAverage(0.9, name='a')",
            ),
            "the moving averages have arguments that TensorFlow 2 does not have",
        ),
        (
            ("Average(0.9)", "Average(tf.reduce_mean(y))"),
            "a step computes the decay of the moving averages",
        ),
        (
            (_UPDATE, _UPDATE + "        loss = tf.identity(loss)\n"),
            "it runs after the update",
        ),
        (
            ("Scaffold(saver=saver)", "Scaffold(saver=saver, init_fn=print)"),
            "it computes initial values with tf.train.ExponentialMovingAverage",
        ),
    ],
)
def test_what_stays_and_why(change: tuple[str, str], reason: str) -> None:
    found = [f.reason for f in _migrated(change).findings if f.code == "K110"]
    assert found and reason in found[0]
