"""Checks arguments and scopes of contrib's layers, and which keep a model_fn."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

_MODEL = """\
import tensorflow as tf
from tensorflow.contrib import layers, slim


def model_fn(features, labels, mode, params):
    training = mode == tf.estimator.ModeKeys.TRAIN
    net = features["x"]
{network}
    y = tf.layers.dense(net, 1, name="y")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={{"y": y}})
    loss = tf.losses.mean_squared_error(labels, y)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    with tf.control_dependencies({before}):
        train_op = tf.train.AdamOptimizer(0.01).minimize(
            loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model", params={{"hidden": [4]}})
"""
_UPDATES = "tf.get_collection(tf.GraphKeys.UPDATE_OPS)"


def _migrated(network: str, before: str = _UPDATES) -> Migration:
    text = _MODEL.format(network=textwrap.indent(network, " " * 4), before=before)
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    return migration


@pytest.mark.parametrize(
    ("network", "written"),
    [
        (
            'net = layers.stack(net, layers.fully_connected, params["hidden"])',
            """\
            net = tf_keras.Sequential([
                keras_estimator.FullyConnected(
                    units=units,
                    activation=tf.nn.relu,
                    name="Stack/fully_connected_%d" % i)
                for i, units in enumerate(params["hidden"], start=1)])(net)
            """,
        ),
        (
            'i = 3\nnet = layers.repeat(net, i, layers.linear, 8, scope="fc")',
            None,
        ),
        (
            'if params["hidden"]:\n'
            "    net = layers.stack(\n"
            "        inputs=net, layer=layers.fully_connected,\n"
            '        stack_args=params["hidden"], activation_fn=None)',
            """\
            if params["hidden"]:
                net = tf_keras.Sequential([
                    keras_estimator.FullyConnected(
                        units=units,
                        name="Stack/fully_connected_%d" % i)
                    for i, units in enumerate(params["hidden"], start=1)])(net)
            """,
        ),
        (
            'i = 3\nnet = layers.repeat(net, i, layers.fully_connected, 8, scope="fc")',
            """\
                for number in range(1, 1 + i)])(net)
            """,
        ),
        (
            "with slim.arg_scope([slim.fully_connected], activation_fn=tf.tanh):\n"
            "    net = slim.fully_connected(net, 8)\n"
            "    net = slim.fully_connected(net, 8, tf.nn.elu)\n",
            """\
            net = keras_estimator.FullyConnected(
                units=8,
                activation=tf.tanh,
                name="fully_connected")(net)
            net = keras_estimator.FullyConnected(
                units=8,
                activation=tf.nn.elu,
                name="fully_connected_1")(net)
            """,
        ),
        (
            'bn = {"is_training": training, "scope": "bn"}\n'
            "net = layers.fully_connected(\n"
            "    net, 8, normalizer_fn=layers.batch_norm, normalizer_params=bn)\n",
            """\
            net = keras_estimator.FullyConnected(
                units=8,
                activation=tf.nn.relu,
                normalizer=keras_estimator.BatchNorm(
                    momentum=0.999,
                    scale=False,
                    name="bn"),
                name="fully_connected")(net)
            """,
        ),
    ],
)
def test_what_is_written(network: str, written: str | None) -> None:
    migration = _migrated(network)
    codes = {f.code for f in migration.findings}
    assert ("K110" in codes) == (written is None)
    assert textwrap.indent(textwrap.dedent(written or ""), " " * 8).rstrip() in (
        migration.text
    )


_NORMALIZED = "net = layers.fully_connected(net, 8, normalizer_fn={})"
_BATCH_NORM = "layers.batch_norm, normalizer_params={}"


@pytest.mark.parametrize(
    ("network", "reason"),
    [
        (_NORMALIZED.format("layers.batch_norm"), "not true exactly in mode TRAIN"),
        (_NORMALIZED.format("lambda x: x"), "there is a lambda among its layers"),
        (
            _NORMALIZED.format("tf.layers.batch_normalization"),
            "does not know this normalizer",
        ),
        (
            _NORMALIZED.format(_BATCH_NORM.format('{"is_training": True}')),
            "not true exactly in mode TRAIN",
        ),
        (
            _NORMALIZED.format(_BATCH_NORM.format('params["bn"]')),
            "normalizer_params is not a dict that is written out",
        ),
        (
            'bn = {"decay": 0.9}\nbn["is_training"] = training\n'
            + _NORMALIZED.format(_BATCH_NORM.format("bn")),
            "normalizer_params is not a dict that is written out",
        ),
        (
            _NORMALIZED.format(
                _BATCH_NORM.format('{"is_training": training, "renorm": True}')
            ),
            "the Keras layer for tf.contrib.layers.batch_norm does not have these arguments",
        ),
        (
            "net = layers.stack(net, layers.fully_connected, [8, (4, tf.tanh)])",
            "different numbers of arguments",
        ),
        (
            "for _ in range(2):\n"
            "    net = layers.stack(net, layers.fully_connected, [8])",
            "is in a loop, or reuses variables",
        ),
        (
            "if params['hidden']:\n"
            "    net = layers.stack(net, layers.fully_connected, [8])\n"
            "net = layers.stack(net, layers.fully_connected, [8])",
            "a layer without a name follows one that is made only under a condition",
        ),
        (
            "net = layers.repeat(net, 2, layers.dropout, is_training=training)",
            "slim.repeat or slim.stack makes a layer that is not one of contrib",
        ),
        (
            "with slim.arg_scope(params['scope']):\n"
            "    net = slim.fully_connected(net, 8)",
            "the functions of an argument scope are not a list that is written out",
        ),
        (
            "rate = 0.1\nwith slim.arg_scope(\n"
            "    [slim.fully_connected],\n"
            "    weights_regularizer=slim.l2_regularizer(rate)):\n"
            "    net = slim.fully_connected(net, 8)\nrate = 0.2",
            "the program assigns `rate`, an argument of an argument scope, more than once",
        ),
    ],
)
def test_what_stays_and_why(network: str, reason: str) -> None:
    found = [f.reason for f in _migrated(network).findings if f.code == "K110"]
    assert found and reason in found[0]


def test_averages_that_no_update_moves_are_refused() -> None:
    params = '{"is_training": training}'
    network = _NORMALIZED.format(_BATCH_NORM.format(params))
    assert "L123" in {f.code for f in _migrated(network, "[]").findings}
    moved = params.replace("}", ', "updates_collections": None}')
    network = _NORMALIZED.format(_BATCH_NORM.format(moved))
    assert not {"L123", "K110"} & {f.code for f in _migrated(network).findings}
