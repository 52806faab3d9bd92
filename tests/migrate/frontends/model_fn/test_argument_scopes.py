"""Argument scopes that a function returns, in networks of Keras models."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.migration import Migration

_PROGRAM = """\
import tensorflow as tf

slim = tf.contrib.slim

def arg_scope(weight_decay=0.01, norm=False):
    with slim.arg_scope(
        [slim.fully_connected],
        weights_regularizer=slim.l2_regularizer(weight_decay),
        normalizer_fn=slim.layer_norm if norm else None,
    ) as scope:
        return scope

def net(x, scope="net"):
    with tf.variable_scope(scope, "net", [x]):
        return slim.fully_connected(x, 4, scope="fc")

def model_fn(features, labels, mode, params):
    with slim.arg_scope(arg_scope()):
        y = net(features["x"])
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.losses.mean_squared_error(labels, y) + tf.losses.get_regularization_loss()
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

estimator = tf.estimator.Estimator(model_fn, "/tmp/model", params={})
"""


def _migrated(*changes: tuple[str, str]) -> Migration:
    text = _PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return migrate_text(text)


@pytest.mark.parametrize(
    ("change", "written"),
    [
        (("arg_scope())", "arg_scope())"), "L2(l2=0.5 * 0.01)"),
        (("arg_scope())", "arg_scope(0.5))"), "L2(l2=0.5 * 0.5)"),
        (
            ("arg_scope())", "arg_scope(norm=True))"),
            "normalizer=keras_estimator.LayerNorm(",
        ),
    ],
)
def test_layers_are_given_what_it_gave_them(
    change: tuple[str, str], written: str
) -> None:
    migration = _migrated(change)
    assert not [f for f in migration.findings if f.code == "K110"]
    assert written in migration.text
    assert "def arg_scope" not in migration.text
    assert 'def net(x, scope="net"):' in migration.text
    assert migrate_text(migration.text).text == migration.text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            ("arg_scope())", "arg_scope(params['decay']))"),
            "is given a computed argument",
        ),
        (
            (
                "    with slim.arg_scope(arg",
                "    decay = 0.3\n    with slim.arg_scope(arg",
            ),
            "",
        ),
        (("estimator = ", "print(arg_scope)\nestimator = "), "for other code, too"),
        (
            ("        return scope\n", "        print(1)\n        return scope\n"),
            "does more than open",
        ),
        (
            (
                "        y = net",
                "        z = net(features['z'], 'b')\n"
                "    with slim.arg_scope(arg_scope(0.5)):\n"
                "        y = z + net",
            ),
            "is in other argument scopes",
        ),
    ],
)
def test_what_stays(change: tuple[str, str], reason: str) -> None:
    more = [("arg_scope())", "arg_scope(decay))")] if not reason else []
    told = [f.reason for f in _migrated(change, *more).findings if f.code == "K110"]
    assert told and (reason or "`decay` does not exist") in told[0]


def test_a_scope_holds_in_what_is_told_its_variable_scope() -> None:
    loop = (
        "    y = features['x']\n"
        "    with slim.arg_scope(arg_scope()):\n"
        "        for i in range(2):\n"
        "            with tf.variable_scope('b%d' % i):\n"
        "                y = net(y)\n"
    )
    old = '    with slim.arg_scope(arg_scope()):\n        y = net(features["x"])\n'
    migration = _migrated((old, loop))
    assert not [f.reason for f in migration.findings if f.code == "K110"]
    assert (
        "kernel_regularizer=tf_keras.regularizers.L2(l2=0.5 * 0.01)" in migration.text
    )
    assert "outer_scope + " in migration.text
