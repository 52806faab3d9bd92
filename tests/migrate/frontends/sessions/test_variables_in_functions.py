"""Functions of a network that make their variables by themselves."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.migration import Migration

_PROGRAM = """\
import tensorflow as tf

def linear(x, units, scope):
    with tf.variable_scope(scope):
        w = tf.get_variable("w", [x.shape[-1].value, units])
        return tf.matmul(x, w)

def model_fn(features, labels, mode):
    net = tf.nn.relu(linear(features["x"], 4, "first"))
    y = linear(net, 1, "second")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.losses.mean_squared_error(labels, y)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
"""
_SECOND = '    y = linear(net, 1, "second")\n'


def _migrated(*changes: tuple[str, str]) -> Migration:
    text = _PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return migrate_text(text)


def _stays(migration: Migration) -> str:
    return " ".join(f.reason for f in migration.findings if f.code == "K110")


def test_a_variable_is_a_layer() -> None:
    migration = _migrated()
    assert not _stays(migration)
    assert (
        "def linear(x, units, scope):\n    w = keras_estimator.Variable("
        in migration.text
    )
    assert 'name=scope + "/w")(x)' in migration.text
    assert migrate_text(migration.text).text == migration.text


def test_one_beside_them_is_applied_to_the_features() -> None:
    migration = _migrated(
        (_SECOND, _SECOND + "    b = tf.get_variable('b', [1])\n    y = y + b\n")
    )
    assert (
        'b = keras_estimator.Variable(shape=[1], name="b")(features)' in migration.text
    )


def test_two_models_have_one_function() -> None:
    own = _PROGRAM[_PROGRAM.index("def model_fn") : _PROGRAM.index("estimator =")]
    other = own.replace("model_fn", "other_fn").replace('4, "first"', '3, "start"')
    more = other + 'other = tf.estimator.Estimator(other_fn, "/tmp/other")\n'
    migration = migrate_text(_PROGRAM + more)
    assert not _stays(migration)
    assert "class OtherModel(tf_keras.Model):" in migration.text
    # In another scope for the other one: both have to say in which.
    scoped = more.replace(
        "    y = linear", "    with tf.variable_scope('top'):\n      y = linear"
    )
    stays = _stays(migrate_text(_PROGRAM + scoped))
    assert not stays or "makes other layers for another model_fn" in stays


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("units])", "units], partitioner=None if units else units)"), "partitioner"),
        (("units])", "units], initializer=units)"), "the initializer"),
        (('"w", [x.shape[-1].value, units]', '"w"'), "not written out"),
        (
            ("        w = ", "        for _ in range(2):\n            w = "),
            "each time under the same name",
        ),
        (
            (
                _SECOND,
                "    def_y = linear(net, 1, 'second')\n    y = def_y * bias(1)\n",
            ),
            "without a tensor argument",
        ),
        (
            (
                _SECOND,
                _SECOND + "    if mode == tf.estimator.ModeKeys.TRAIN:\n"
                "        y = linear(y, 1, 'third')\n",
            ),
            "other layers than in mode TRAIN",
        ),
    ],
)
def test_what_stays(change: tuple[str, str], reason: str) -> None:
    bias = "def bias(n):\n    return tf.get_variable('bias', [n])\n\ndef model_fn"
    more = [("def model_fn", bias)] if "bias(" in change[1] else []
    assert reason in _stays(_migrated(*more, change))
