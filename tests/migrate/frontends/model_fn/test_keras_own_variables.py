"""Checks which `tf.Variable`s of a model_fn become a Keras model's variables."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

_PROGRAM = """\
import tensorflow as tf


def other(x):
    return {other}


def model_fn(features, labels, mode):
    {first}
    with {scope}:
        w = tf.Variable({made})
    score = tf.matmul(features["x"], w)
    loss = tf.losses.mean_squared_error(labels, score)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


tf.estimator.Estimator(model_fn)
"""
_ZEROS = 'tf.zeros([4, 1]), name="w"'


def _migrated(
    made: str = _ZEROS,
    scope: str = 'tf.name_scope("linear")',
    first: str = "pass",
    other: str = "x",
) -> str:
    text = _PROGRAM.format(made=made, scope=scope, first=first, other=other)
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    stays = [f for f in migration.findings if f.code == "K110"]
    assert bool(stays) is not ("tf_keras.Model" in migration.text)
    return migration.text


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (_ZEROS, "zeros_initializer()"),
        ('tf.ones(shape=[4, 1]), False, name="w"', ""),
        ('tf.truncated_normal([4, 1], 0.0, 2.0, seed=3), name="w"',
         "truncated_normal_initializer(mean=0.0, stddev=2.0, seed=3)"),
        ('tf.random_normal([4, 1], dtype=tf.float32), name="w"',
         "random_normal_initializer()"),
        ('tf.random_uniform([4, 1], -1.0, 1.0), name="w", trainable=False',
         "random_uniform_initializer(minval=-1.0, maxval=1.0)"),
        ('tf.constant(0.5, shape=[4, 1]), name="w"', "constant_initializer(value=0.5)"),
    ],
)  # fmt: skip
def test_first_values(made: str, expected: str) -> None:
    text = _migrated(made)
    if not expected:  # More than one argument by place.
        assert "tf_keras" not in text
        return
    assert 'self.add_weight(\n            "linear/w",\n            shape=[4, 1]' in text
    assert f"initializer=tf.compat.v1.{expected}" in text
    assert ("trainable=False" in made) is ("trainable=False)" in text)


@pytest.mark.parametrize(
    "more",
    [
        {"made": "tf.zeros([4, 1])"},  # A number of the graph's.
        {"made": 'tf.constant(1, shape=[4, 1]), name="w"'},
        {"made": 'tf.constant([0.5], shape=[4, 1]), name="w"'},
        {"made": 'tf.zeros([4, 1], tf.float64), name="w"'},
        {"made": 'tf.zeros([4, 1]), name="w", collections=["mine"]'},
        {"made": 'tf.zeros([4, 1]) + 1, name="w"'},
        {"made": 'features["x"][:4, :1], name="w"'},
        {"scope": 'tf.variable_scope("linear")'},  # Initializers, and reuse.
        {"scope": 'tf.name_scope("linear" + "_1")'},
        {"first": 'y = tf.identity(labels, name="linear")'},  # Then linear_1.
        {"scope": 'tf.name_scope("zeros")'},
        {"first": 'v = tf.Variable(tf.zeros([]), name="linear")'},
        {"first": "y = other(1)", "other": 'tf.Variable(tf.zeros([]), name="w")'},
    ],
)
def test_what_is_not_certain_stays(more: dict[str, str]) -> None:
    text = _migrated(**more)
    assert "tf_keras" not in text and "get_variable" not in text


def test_the_same_name_twice_stays() -> None:
    first = (
        'with tf.name_scope("a"):\n        pass\n    w = tf.Variable(' + _ZEROS + ")"
    )
    first += "\n    v = tf.Variable(" + _ZEROS + ")"
    assert "tf_keras" not in _migrated(first=first)


_NETWORK = """\
import tensorflow as tf


def made(shape):
    return tf.Variable(tf.zeros(shape), name="made")


def scaled(x):
    return x * made([3])


class Scale(object):
    def __init__(self):
        self.value = tf.Variable(tf.ones([3]))

    def __call__(self, x):
        return x * self.value


def folded(x, times):
    if times == 0:
        return x
    return folded(tf.tanh(x), times - 1)


def model_fn(features, labels, mode):
    net = tf.layers.dense(features["x"], 3)
    {more}
    score = tf.reduce_sum(net, 1)
    loss = tf.losses.mean_squared_error(labels, score)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, score, loss, train_op)


tf.estimator.Estimator(model_fn)
"""


def test_a_name_that_a_variable_binds_anew_is_not_the_layers() -> None:
    more = 'w = tf.get_variable("w", [3, 3])\n    net = tf.matmul(net, w)'
    text = migrate_text(_NETWORK.format(more=more)).text
    assert "net = self.dense(" in text and "net = tf.matmul(net, self.w)\n" in text


@pytest.mark.parametrize(
    "more",
    [
        "net = scaled(net)",
        "net = tf.layers.dense(scaled(net), 3)",
        "scale = Scale()\n    net = scale(net)",
        "g = made([3])\n    net = net * g",
        "g = made([3])\n    net = tf.multiply(net, g)",
    ],
)
def test_variables_of_functions_that_layers_call_are_not_lost(more: str) -> None:
    assert "tf_keras" not in migrate_text(_NETWORK.format(more=more)).text


def test_a_function_that_calls_itself() -> None:
    text = migrate_text(_NETWORK.format(more="net = folded(net, 2)")).text
    assert "net = folded(net, 2)" in text and "tf_keras.Model" in text


_OF_LAYER = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    score = tf.layers.dense(features["x"], 1, name="d")
    tf.get_variable_scope().reuse_variables()
    w = tf.get_variable({name}, [4, 1])
    loss = tf.losses.mean_squared_error(labels, score) + tf.nn.l2_loss(w)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


tf.estimator.Estimator(model_fn)
"""


@pytest.mark.parametrize(("name", "of_layer"), [("d/kernel", True), ("e/own", False)])
def test_a_variable_of_a_layer_is_not_made_again(name: str, of_layer: bool) -> None:
    """TensorFlow 1 gave the layer's weights: a second variable would be another value."""
    text = migrate_text(_OF_LAYER.format(name=repr(name))).text
    assert ("add_weight" in text) is not of_layer
