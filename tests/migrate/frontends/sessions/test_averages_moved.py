"""Runs that moved other averages of batch normalisation in TF1 than step functions would."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

_HEAD = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name="x")
training = tf.placeholder(tf.bool, [], name="training")


def net(v, is_training):
    h = tf.layers.batch_normalization(v, training=is_training, name="one")
    return tf.layers.dense(h, 1)


"""
_NET = """
h = tf.layers.batch_normalization(net(x, training), training=training, name="two")
loss = tf.reduce_mean(tf.square(h))
optimizer = tf.train.GradientDescentOptimizer(0.1)
"""
_LIST = "update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)\n"
_BEHIND = """
with tf.control_dependencies(update_ops):
    train_op = optimizer.minimize(loss)
"""
_SESSION = """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        RUN
    print(sess.run(loss, {x: np.ones([4, 3]), training: False}))
"""
_RUN = "sess.run([train_op, loss], {x: np.ones([4, 3]), training: True})"


def _refused(text: str, run: str = _RUN) -> set[str]:
    migration = migrate_text(_HEAD + text + _SESSION.replace("RUN", run))
    return {
        f.code
        for f in migration.findings
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    }


@pytest.mark.parametrize(
    "update",
    [
        _LIST + _BEHIND,
        _BEHIND.replace("update_ops", "tf.get_collection(tf.GraphKeys.UPDATE_OPS)"),
        _LIST + "train_op = tf.group(optimizer.minimize(loss), *update_ops)\n",
        _LIST + "train_op = tf.group([optimizer.minimize(loss), update_ops])\n",
        _LIST
        + "updates = tf.group(*update_ops)\n"
        + _BEHIND.replace("update_ops", "[updates]"),
        _LIST
        + "descent = optimizer.minimize(loss)\n"
        + "with tf.control_dependencies([descent] + update_ops):\n"
        + "    train_op = tf.no_op()\n",
        _LIST.replace("OPS)", "OPS, scope=None)") + _BEHIND,
        "def make(cost):\n"
        "    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
        "        return optimizer.minimize(cost)\n\n\n"
        "train_op = make(loss)\n",
    ],
)
def test_all_updates_of_every_training_run_let_it_pass(update: str) -> None:
    assert not _refused(_NET + update)


def test_updates_fetched_in_every_training_run_let_it_pass() -> None:
    update = _LIST + "train_op = optimizer.minimize(loss)\n"
    assert not _refused(_NET + update, _RUN.replace("loss]", "loss, update_ops]"))
    assert _refused(_NET + update) == {"L123"}


@pytest.mark.parametrize(
    "part",
    [
        'tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope="two")',
        'tf.get_collection(tf.GraphKeys.UPDATE_OPS, "two")',
        "tf.get_collection(tf.GraphKeys.UPDATE_OPS)[:2]",
        "[u for u in tf.get_collection(tf.GraphKeys.UPDATE_OPS) if 'one' in u.name]",
    ],
)
def test_a_part_of_the_updates_is_refused(part: str) -> None:
    assert _refused(_NET + f"update_ops = {part}\n" + _BEHIND) == {"L123"}


def test_updates_asked_for_before_a_layer_are_refused() -> None:
    early = _NET.replace("h = tf", "first = net(x, training)\n" + _LIST + "h = tf")
    early = early.replace("(net(x, training),", "(first,")
    assert _refused(early + _BEHIND) == {"L123"}
    assert not _refused(early + _LIST + _BEHIND)


def test_updates_of_layers_that_the_run_does_not_call_are_refused() -> None:
    other = 'other = tf.layers.batch_normalization(x, training=True, name="three")\n'
    assert _refused(_NET + other + _LIST + _BEHIND) == {"L123"}
    assert not _refused(_NET + _LIST + other + _BEHIND)
    never = other.replace("=True", "=False")
    assert not _refused(_NET + never + _LIST + _BEHIND)


@pytest.mark.parametrize(
    "run",
    [
        "sess.run([train_op, loss], {x: np.ones([4, 3]), training: True})\n"
        "    sess.run(update_ops, {x: np.ones([4, 3]), training: True})",
        "sess.run(train_op, {x: np.ones([4, 3]), training: True})\n"
        "        if step % 2:\n"
        "            sess.run(tf.group(*update_ops), {x: np.ones([4, 3]), training: True})",
        "if step < 2:\n"
        "            sess.run([train_op, update_ops], {x: np.ones([4, 3]), training: True})\n"
        "        else:\n"
        "            sess.run(train_op, {x: np.ones([4, 3]), training: True})",
    ],
)
def test_updates_of_other_runs_are_refused(run: str) -> None:
    update = _LIST + "train_op = optimizer.minimize(loss)\n"
    assert "L123" in _refused(_NET + update, run)


def test_a_run_without_update_must_not_train_layers_of_functions() -> None:
    inside = _NET.replace("h = tf.layers.batch_normalization(net(x, training), ", "#")
    inside = inside.replace("loss = ", "h = net(x, training)\nloss = ")
    measured = _RUN + "\n    sess.run(loss, {x: np.ones([4, 3]), training: True})"
    assert _refused(inside + _LIST + _BEHIND, measured) == {"L123"}
    assert not _refused(
        inside + _LIST + _BEHIND, measured.replace(": True})", ": False})")
    )


@pytest.mark.parametrize(
    "scope, refused", [("", False), (', scope="one"', True), (", 'one'", True)]
)
def test_a_scope_of_contrib_layers_is_refused(scope: str, refused: bool) -> None:
    layers = _NET.replace(
        'tf.layers.batch_normalization(net(x, training), training=training, name="two")',
        'tf.contrib.layers.batch_norm(x, is_training=training, scope="one")',
    )
    update = _LIST.replace("OPS)", f"OPS{scope})") + _BEHIND
    assert ("L123" in _refused(layers + update)) is refused


@pytest.mark.parametrize(
    "made, called",
    [
        (
            "bn = tf.layers.BatchNormalization()",
            "bn(net(x, training), training=training)",
        ),
        ("bn = tf.layers.BatchNormalization()", "bn(net(x, training), training)"),
        ("", "tf.layers.BatchNormalization()(net(x, training), training=training)"),
    ],
)
def test_layers_that_are_objects_need_their_updates_run(made: str, called: str) -> None:
    layers = f"{made}\n{_NET}".replace(
        'tf.layers.batch_normalization(net(x, training), training=training, name="two")',
        called,
    )
    assert not _refused(layers + _LIST + _BEHIND)
    assert _refused(layers + "train_op = optimizer.minimize(loss)\n") == {"L123"}


def test_an_object_in_a_list_is_refused() -> None:
    layers = _NET.replace(
        'tf.layers.batch_normalization(net(x, training), training=training, name="two")',
        "bns[0](x, training=training)",
    )
    assert "L123" in _refused(
        "bns = [tf.layers.BatchNormalization()]\n" + layers + _LIST + _BEHIND
    )
