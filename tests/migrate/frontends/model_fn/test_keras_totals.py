"""Losses that tf.losses collects, in Keras models: which are in a total, and which are not."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text

_PROGRAM = """\
import tensorflow as tf


def other(labels, rating):
    return tf.losses.huber_loss(labels, rating)


def model_fn(features, labels, mode):
    rating = tf.layers.dense(
        features["x"], 1, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))
    error = tf.losses.mean_squared_error(labels, rating)
    loss = tf.losses.get_total_loss()
    train_op = tf.train.AdagradOptimizer(0.1).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
"""
_ERROR = "    error = tf.losses.mean_squared_error(labels, rating)\n"
_TOTAL = "get_total_loss()"


def _migrated(old: str, new: str) -> tuple[str, list[str]]:
    assert old in _PROGRAM
    migration = migrate_text(_PROGRAM.replace(old, new))
    return migration.text, [f.reason for f in migration.findings if f.code == "K110"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (_TOTAL, _TOTAL, "tf.add_n([error, *self.losses])"),
        (_TOTAL, "get_total_loss(False)", "tf.add_n([error])"),
        (
            _TOTAL,
            "get_total_loss(add_regularization_losses=False)",
            "tf.add_n([error])",
        ),
        (
            _ERROR,
            _ERROR + "    more = tf.losses.huber_loss(labels, rating)\n",
            "tf.add_n([error, more, *self.losses])",
        ),
        (
            _ERROR,
            _ERROR
            + "    more = tf.losses.huber_loss(\n"
            + "        labels, rating, loss_collection=None)\n",
            "tf.add_n([error, *self.losses])",
        ),
    ],
)
def test_what_a_total_is_of(old: str, new: str, expected: str) -> None:
    text, stays = _migrated(old, new)
    assert not stays
    assert expected in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (_TOTAL, "get_total_loss(mode == 'train')", "whether penalties are added"),
        (_TOTAL, "get_total_loss(scope='tower')", "chooses losses by a scope"),
        ("rating)\n    loss", "rating, loss_collection=None)\n    loss", "no loss"),
        (
            "rating)\n    loss",
            "rating, loss_collection='mine')\n    loss",
            "another collection",
        ),
        (_ERROR, _ERROR + "    error *= 2.0\n", "again before it computes the total"),
        (
            _ERROR,
            _ERROR + "    more = other(labels, rating)\n",
            "adds a loss to the graph's total",
        ),
        (
            "    train_op =",
            "    late = tf.layers.dense(rating, 1, name='late')\n"
            "    loss += tf.reduce_sum(late)\n    train_op =",
            "before it has made all layers",
        ),
        ("loss=loss", "loss=tf.losses.get_total_loss()", "EstimatorSpec adds up"),
    ],
)
def test_what_stays_and_why(old: str, new: str, reason: str) -> None:
    text, (stays,) = _migrated(old, new)
    assert reason in stays
    assert "get_total_loss" in text
