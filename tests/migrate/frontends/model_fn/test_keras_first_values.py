"""First values of Keras models: init_from_checkpoint, a Scaffold's init_fn, and the edges."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.migration import Migration

_MODEL = """\
import tensorflow as tf

slim = tf.contrib.slim


def model_fn(features, labels, mode, params):
    net = tf.layers.dense(features["x"], 4, name="body")
    y = tf.layers.dense(net, 1, name="y")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.losses.mean_squared_error(labels, y)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    variables = slim.get_variables_to_restore(exclude=["y"])
    restore = slim.assign_from_checkpoint_fn(params["first"], variables)
    scaffold = tf.train.Scaffold(init_fn=lambda scaffold, session: restore(session))
    step = tf.train.get_global_step()
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, scaffold=scaffold)


estimator = tf.estimator.Estimator(model_fn, params={"first": "/tmp/first/model.ckpt-1"})
"""
_LISTED = '    variables = slim.get_variables_to_restore(exclude=["y"])\n'
_RESTORE = '    restore = slim.assign_from_checkpoint_fn(params["first"], variables)\n'
_SCAFFOLD = (
    "    scaffold = tf.train.Scaffold("
    "init_fn=lambda scaffold, session: restore(session))\n"
)
_UPDATE = (
    "    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)\n"
)


def _migrated(*changes: tuple[str, str]) -> Migration:
    text = _MODEL
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return migrate_text(text)


def test_an_init_fn_is_made_before_there_are_slots() -> None:
    migration = _migrated()
    assert not any(f.code == "K110" for f in migration.findings)
    assert (
        "    def initial_scaffold(self):\n"
        "        params = self.params\n"
        '        variables = contrib_framework.get_variables_to_restore(exclude=["y"])\n'
        "        restore = estimator_loop.assign_from_checkpoint_fn("
        'params["first"], variables)\n'
        "        scaffold = estimator_loop.Scaffold("
        "init_fn=lambda scaffold, session: restore(session))\n"
        "        return scaffold\n"
    ) in migration.text


def test_a_list_that_is_made_after_the_update_has_slots() -> None:
    made = _LISTED + _RESTORE + _SCAFFOLD
    migration = _migrated((made, ""), (_UPDATE, _UPDATE + made))
    assert not any(f.code == "K110" for f in migration.findings)
    assert "    def training_scaffold(self):\n" in migration.text


_START = '    tf.train.init_from_checkpoint(params["first"], {"body/": "body/"})\n'


def test_training_alone_starts_from_a_checkpoint() -> None:
    change = (_LISTED + _RESTORE, _START)
    gone = ("init_fn=lambda scaffold, session: restore(session)", "")
    migration = _migrated(change, gone)
    assert not any(f.code == "K110" for f in migration.findings)
    assert (
        "    def initial_training_values(self):\n"
        "        params = self.params\n"
        "        estimator_loop.init_from_checkpoint("
        'params["first"], {"body/": "body/"})\n'
    ) in migration.text


def test_every_mode_starts_from_a_checkpoint() -> None:
    first = '    y = tf.layers.dense(net, 1, name="y")\n'
    migration = _migrated((first, first + _START))
    assert not any(f.code == "K110" for f in migration.findings)
    assert "    def initial_values(self):\n" in migration.text


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        # The list would have the layers that are made later.
        (
            (
                (_LISTED, ""),
                ('    y = tf.layers.dense(net, 1, name="y")\n', _LISTED + '    y = tf.layers.dense(net, 1, name="y")\n'),
            ),
            "it lists variables before it has made all of them",
        ),
        (
            ((_LISTED, "    variables = [loss]\n"),),
            "it computes initial values with tf.losses.mean_squared_error",
        ),
        (
            (("restore(session)", "session.run(variables[0].initializer)"),),
            "it does more with initial values than to restore them from a checkpoint",
        ),
        (
            ((_RESTORE, "    restore = tf.train.Saver().restore\n"),),
            "it makes a Saver of all variables that exist at that moment",
        ),
        (
            ((_RESTORE, "    restore = helpers.restorer()\n"),
             ("import tensorflow as tf\n", "import helpers\nimport tensorflow as tf\n")),
            "helpers.restorer() is in another file",
        ),
        (
            (("slim.get_variables_to_restore(", "tf.moving_average_variables("), ('exclude=["y"]', ""),),
            "it computes initial values with tf.moving_average_variables",
        ),
    ],
)  # fmt: skip
def test_what_stays_and_why(changes: tuple[tuple[str, str], ...], reason: str) -> None:
    found = [f.reason for f in _migrated(*changes).findings if f.code == "K110"]
    assert found and reason in found[0]
