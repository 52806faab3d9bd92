"""Checks which networks become subclassed Keras models, and why others stay."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

_MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode, params):
    training = mode == tf.estimator.ModeKeys.TRAIN
    size = params["size"]
    depth = params["depth"]
    # What a word means.
    words = tf.get_variable("words", [size, depth], initializer=tf.zeros_initializer())
    with tf.variable_scope("top"):
        w = tf.get_variable("w", shape=[depth, 3])
    net = tf.nn.embedding_lookup(words, features["word"] % size)
    if training:
        net = tf.nn.dropout(net, keep_prob=0.5)
    logits = tf.matmul(net, w)
    predictions = {"classes": tf.argmax(logits, 1)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    loss += 0.1 * tf.nn.l2_loss(w)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    optimizer = tf.train.AdamOptimizer(0.01)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model", params={"size": 4, "depth": 2})
"""
_NET = "    net = tf.nn.embedding_lookup"
_LOGITS = "    logits = tf.matmul(net, w)\n"


def _migrated(*changes: tuple[str, str]) -> Migration:
    model = _MODEL
    for old, new in changes:
        assert old in model
        model = model.replace(old, new)
    migration = migrate_text(model)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    return migration


def _text(*changes: tuple[str, str]) -> str:
    migration = _migrated(*changes)
    assert [f.reason for f in migration.findings if f.code == "K110"] == []
    return migration.text


def test_variables_are_made_once_and_called() -> None:
    expected = """\
        class EstimatorModel(tf_keras.Model):
            def __init__(self, params):
                # As in TensorFlow 1: variables are named without the model, features keep their type.
                super().__init__(name="", autocast=False)
                self.size = params["size"]
                depth = params["depth"]
                # What a word means.
                self.words = self.add_weight(
                    "words",
                    shape=[self.size, depth],
                    initializer=tf.compat.v1.zeros_initializer())
                self.w = self.add_weight("top/w", shape=[depth, 3])
                optimizer = tf.compat.v1.train.AdamOptimizer(0.01)
                self.compile(optimizer=optimizer)
                self.optimizer.iterations = tf.compat.v1.train.get_or_create_global_step()

                self.mean_loss = tf_keras.metrics.Mean(name="loss")

            def call(self, features, training=False):
                net = tf.nn.embedding_lookup(self.words, features["word"] % self.size)
                if training:
                    net = tf.nn.dropout(net, rate=1 - 0.5)
                return tf.matmul(net, self.w)

            def loss_from(self, labels, logits):
                loss = tf.compat.v1.losses.sparse_softmax_cross_entropy(labels, logits)
                loss += 0.1 * tf.nn.l2_loss(self.w)
                return loss
        """
    assert textwrap.dedent(expected).rstrip() in _text()


@pytest.mark.parametrize(
    ("change", "written"),
    [
        # Layers beside variables.
        (
            (
                _LOGITS,
                _LOGITS + '    logits = tf.layers.dense(logits, 3, name="more")\n',
            ),
            'self.more = tf_keras.layers.Dense(units=3, name="more")\n',
        ),
        (
            (
                _LOGITS,
                _LOGITS + "    logits = tf.layers.dropout(logits, training=training)\n",
            ),
            "return self.dropout(logits, training=training)",
        ),
        # What only says whether it is training.
        (
            (
                "    if training:\n        net = tf.nn.dropout(net, keep_prob=0.5)\n",
                "    net *= 1.0 if training else 0.5\n",
            ),
            "net *= 1.0 if training else 0.5\n",
        ),
        (
            (
                "    if training:\n        net = tf.nn.dropout(net, keep_prob=0.5)\n",
                "    if mode != tf.estimator.ModeKeys.TRAIN:\n        net *= 0.5\n"
                "    else:\n        net = tf.nn.dropout(net, keep_prob=0.5)\n",
            ),
            "if not training:\n            net *= 0.5\n        else:\n",
        ),
        # Names that attributes of a model have.
        (("words", "weights"), "self.weights_value = self.add_weight(\n"),
        # A scope that would reuse, and has nothing to reuse.
        (('scope("top")', 'scope("top", reuse=tf.AUTO_REUSE)'), '"top/w"'),
        # Functions of tensors, of which Keras would record none.
        (
            (
                _LOGITS,
                _LOGITS
                + "    logits = tf.cond(logits[0, 0] > 0, lambda: logits, lambda: 2 * logits)\n",
            ),
            "return tf.compat.v1.cond(",
        ),
    ],
)
def test_what_is_written(change: tuple[str, str], written: str) -> None:
    assert written in _text(change)


_LOOP = (
    "    for i, units in enumerate(params['hidden']):\n"
    "        {}\n"
    "        net = tf.nn.relu({})\n" + _LOGITS
)


@pytest.mark.parametrize(
    ("made", "applied", "construction", "loop"),
    [
        (
            "net = tf.layers.dense(net, units, name='mlp%d' % i)",
            "net",
            """
            self.mlp = [
                tf_keras.layers.Dense(units=units, name='mlp%d' % i)
                for i, units in enumerate(params['hidden'])]
            """,
            """
            for mlp in self.mlp:
                net = mlp(net)
                net = tf.nn.relu(net)
            """,
        ),
        (
            "more = tf.get_variable('more%d' % i, [depth, depth])",
            "tf.matmul(net, more) * i",
            """
            self.more = [
                self.add_weight('more%d' % i, shape=[depth, depth])
                for i, units in enumerate(params['hidden'])]
            """,
            """
            for (i, units), more in zip(enumerate(params['hidden']), self.more):
                net = tf.nn.relu(tf.matmul(net, more) * i)
            """,
        ),
        (
            "net = tf.contrib.layers.fully_connected(net, units)",
            "net",
            """
            self.fully_connected = [
                keras_estimator.FullyConnected(units=units, activation=tf.nn.relu)
                for i, units in enumerate(params['hidden'])]
            """,
            """
            for fully_connected in self.fully_connected:
                net = fully_connected(net)
                net = tf.nn.relu(net)
            """,
        ),
    ],
)
def test_what_a_loop_makes(
    made: str, applied: str, construction: str, loop: str
) -> None:
    text = _text((_LOGITS, _LOOP.format(made, applied)))
    for written in (construction, loop):
        assert textwrap.indent(textwrap.dedent(written).strip(), " " * 8) in text


def test_layers_alone_are_called_where_keras_could_not_record_them() -> None:
    """No variable of its own, but functions that no functional model has."""
    without = (
        (
            '    with tf.variable_scope("top"):\n        w = tf.get_variable("w", shape=[depth, 3])\n',
            "",
        ),
        (
            '    words = tf.get_variable("words", [size, depth], initializer=tf.zeros_initializer())\n',
            "",
        ),
        ("    loss += 0.1 * tf.nn.l2_loss(w)\n", ""),
    )
    text = _text(
        *without,
        ("tf.nn.embedding_lookup(words, ", "tf.one_hot(0 * depth + "),
        ("size)", "size, size)"),
        ("tf.matmul(net, w)", "tf.layers.dense(net, 3)"),
    )
    assert 'self.dense = tf_keras.layers.Dense(units=3, name="dense")' in text
    assert "return self.dense(net)" in text
    assert "net = tf.nn.dropout(net, rate=1 - 0.5)" in text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            (
                _LOGITS,
                "    if training:\n        net = tf.layers.dense(net, 2)\n" + _LOGITS,
            ),
            "only some of the modes have this layer",
        ),
        (("[depth, 3]", "[net.shape[1], 3]"), "which only a step knows"),
        (("shape=[depth, 3])", "initializer=params['w'])"), "not written out"),
        (
            ("shape=[depth, 3])", "[depth, 3], initializer=params['w'])"),
            "the initializer",
        ),
        (("shape=[depth, 3])", "[depth, 3], partitioner=params['p'])"), "partitioner"),
        (('scope("top")', 'scope("top", reuse=True)'), "reuses variables"),
        (
            (_LOGITS, _LOGITS + "    logits += tf.layers.dense(net, size * labels)\n"),
            "",
        ),
        (
            (
                _LOGITS,
                _LOGITS + "    cell = tf.nn.rnn_cell.GRUCell(3)\n"
                "    logits, _ = cell(logits, logits)\n",
            ),
            "the tool cannot tell what cell() does",
        ),
        (
            ("    if training:\n", "    if mode == tf.estimator.ModeKeys.EVAL:\n"),
            "differs between evaluation and prediction",
        ),
        (
            (
                _LOGITS,
                _LOOP.format(
                    "net = tf.layers.dense(net, 2, name='a%d' % i)", "net"
                ).replace("params['hidden']", "tf.unstack(net)"),
            ),
            "over values that a step computes",
        ),
        (
            (_LOGITS, _LOOP.format("more = tf.get_variable('m', [2, 2])", "more")),
            "under the same name",
        ),
        (
            (
                _LOGITS,
                _LOOP.format(
                    "net = tf.layers.dense(net, 2)\n"
                    "        net = tf.layers.dense(net, 3)",
                    "net",
                ),
            ),
            "several layers of one kind",
        ),
        (
            (
                _LOGITS,
                _LOOP.format(
                    "net = tf.layers.dense(net, net.shape[1], name='a%d' % i)", "net"
                ),
            ),
            "which only a step knows",
        ),
        (
            (
                _LOGITS,
                _LOOP.format(
                    "net = tf.layers.dense(net, 2, name='a%d' % i)\n"
                    "        if i > 2: break",
                    "net",
                ),
            ),
            "with `break`, `continue` or `else`",
        ),
        ((_NET, "    size = features['word']\n" + _NET), "which only a step knows"),
    ],
)
def test_what_stays_and_why(change: tuple[str, str], reason: str) -> None:
    migration = _migrated(change)
    reasons = [f.reason for f in migration.findings if f.code == "K110"]
    assert len(reasons) == 1 and reason in reasons[0]
    assert "tf_keras.Model" not in migration.text
