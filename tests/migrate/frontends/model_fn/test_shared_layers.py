"""Functions of a network that are called again, and have the variables of their first call."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.migration import Migration

_PROGRAM = """\
import tensorflow as tf

def tower(x, units=4):
    with tf.variable_scope("tower", reuse=tf.AUTO_REUSE):
        net = tf.layers.dense(x, 8, activation=tf.nn.relu)
        return tf.layers.dense(net, units, name="top")

def model_fn(features, labels, mode):
    training = mode == tf.estimator.ModeKeys.TRAIN
    left = tower(features["left"])
    right = tower(features["right"])
    y = tf.reduce_sum(left * right, 1, keepdims=True)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.losses.mean_squared_error(labels, y)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.AdamOptimizer(0.1).minimize(
            loss, tf.train.get_global_step()
        )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
"""
_SCOPE = '    with tf.variable_scope("tower", reuse=tf.AUTO_REUSE):\n'
_CALLS = """\
    left = tower(features["left"])
    right = tower(features["right"])
"""


def _migrated(*changes: tuple[str, str]) -> Migration:
    text = _PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return migrate_text(text)


def _stays(migration: Migration) -> str:
    return " ".join(f.reason for f in migration.findings if f.code == "K110")


@pytest.mark.parametrize(
    "changes",
    [
        (),
        (
            ("units=4)", "units=4, reuse=False)"),
            ("tf.AUTO_REUSE", "reuse"),
            ('tower(features["right"]', 'tower(features["right"], reuse=True'),
        ),
        (
            (", reuse=tf.AUTO_REUSE", ""),
            (
                _CALLS,
                "    left = tower(features['left'])\n"
                "    with tf.variable_scope(tf.get_variable_scope(), reuse=True):\n"
                "        right = tower(features['right'])\n",
            ),
        ),
        (
            (_SCOPE, ""),
            ("        return tf.layers", "    return tf.layers"),
            ("        net =", "    net ="),
            ("x, 8, activation=tf.nn.relu", "x, 8, name='first'"),
            (
                _CALLS,
                "    with tf.variable_scope('tower') as scope:\n"
                "        left = tower(features['left'])\n"
                "    with tf.variable_scope(scope, reuse=True):\n"
                "        right = tower(features['right'])\n",
            ),
        ),
        (
            (
                "    left = tower(features",
                "    sides = [tower(features[s]) for s in ('left', 'right')]\n    left = tower(features",
            ),
            ("left * right", "left * right + sides[0]"),
        ),
    ],
    ids=["auto", "parameter", "get_scope", "opened_again", "comprehension"],
)
def test_layers_are_made_once(changes: tuple[tuple[str, str], ...]) -> None:
    migration = _migrated(*changes)
    assert not _stays(migration)
    assert "shared_tower = keras_estimator.Shared(tower)" in migration.text
    assert "= shared_tower(features[" in migration.text
    assert "reuse" not in migration.text


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        # Other sizes: TF1 raised an error.
        (
            (('tower(features["right"]', 'tower(features["right"], 5'),),
            "only some of the calls",
        ),
        (
            (
                (
                    _CALLS,
                    _CALLS.replace(
                        '["right"]', '["right"], units=int(features.shape[0])'
                    ),
                ),
            ),
            "only some of the calls",
        ),
        # Averages that two calls move.
        (
            (
                (
                    "        return tf.layers",
                    "        net = tf.layers.batch_normalization(net, training=True)\n        return tf.layers",
                ),
            ),
            "training",
        ),
        (
            (
                (
                    "        return tf.layers",
                    "        net = tf.layers.batch_normalization(net, training=training)\n        return tf.layers",
                ),
                ("units=4", "training, units=4"),
                ('["left"]', '["left"], training'),
                ('["right"]', '["right"], training'),
            ),
            "one step would update the averages of batch normalisation more than once",
        ),
        # Numbers that go on, in a scope that is not opened anew.
        (
            (
                (_SCOPE, ""),
                ("        net =", "    net ="),
                ("        return tf.layers", "    return tf.layers"),
            ),
            "on the number of calls",
        ),
        (
            (
                (
                    "        return tf.layers",
                    "        print(net)\n        return tf.layers",
                ),
            ),
            "prints or logs something",
        ),
        (
            (
                (
                    "    left = ",
                    "    with tf.variable_scope('a', reuse=True):\n        z = tower(features['z'])\n    left = ",
                ),
                ("left * right", "left * right + z"),
            ),
            "reuses variables",
        ),
    ],
)
def test_where_they_are_not_the_same(
    changes: tuple[tuple[str, str], ...], reason: str
) -> None:
    assert reason in _stays(_migrated(*changes))


_HEADS = (
    "    train_op = ",
    '    more = tf.layers.dense(left, 1, name="more")\n'
    "    loss += tf.reduce_mean(more)\n    train_op = ",
)
_PLAIN_STEP = (
    "    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
    "        train_op = tf.train.AdamOptimizer(0.1).minimize(\n"
    "            loss, tf.train.get_global_step()\n"
    "        )\n",
    "    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())\n",
)


def test_a_head_of_training_alone() -> None:
    migration = _migrated(_PLAIN_STEP, _HEADS)
    assert not _stays(migration)
    assert "y, more = self(features, training=True)" in migration.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A penalty that evaluation has not.
        ('name="more"', 'name="more", kernel_regularizer=tf.nn.l2_loss'),
        # Another tensor under a name that all modes have.
        ("more", "left"),
        # Evaluation adds up all variables.
        (
            "    if mode == tf.estimator.ModeKeys.EVAL",
            "    loss += tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])\n"
            "    if mode == tf.estimator.ModeKeys.EVAL",
        ),
        # A name that would be another layer's in evaluation.
        (
            'left, 1, name="more")',
            "left, 1)\n    more = tf.layers.dense(more, 1, name='last')",
        ),
    ],
)
def test_layers_that_training_alone_may_not_have(old: str, new: str) -> None:
    heads = (_HEADS[0], _HEADS[1].replace(old, new))
    more = [] if old in _HEADS[1] else [(old, new)]
    assert "other layers than in mode TRAIN" in _stays(
        _migrated(_PLAIN_STEP, heads, *more)
    )


_OBJECT = """\
class Encoder:
    def __init__(self, units):
        self.units = units
        self.top = tf.layers.Dense(units, name="top")

    def encode(self, x):
        with tf.variable_scope("tower", reuse=tf.AUTO_REUSE):
            return tf.layers.dense(x, self.units, name="hidden")

    def judge(self, x):
        return self.top(x)

"""
_ITS_CALLS = """\
    with tf.variable_scope("sides"):
        encoder = Encoder(4)
        left = encoder.encode(features["left"])
        right = encoder.encode(features["right"])
"""


def _of_an_object(*changes: tuple[str, str]) -> Migration:
    head = _PROGRAM.index("def tower")
    return _migrated(
        (_PROGRAM[head : _PROGRAM.index("def model_fn")], _OBJECT),
        (_CALLS, _ITS_CALLS),
        *changes,
    )


def test_what_an_objects_method_makes_is_shared_below_the_object() -> None:
    migration = _of_an_object(
        ('        self.top = tf.layers.Dense(units, name="top")\n', ""),
        ("    def judge(self, x):\n        return self.top(x)\n", ""),
    )
    assert not _stays(migration)
    assert (
        "    encoder = Encoder(4)\n"
        "        shared_encode = keras_estimator.Shared(encoder.encode)\n"
        '        left = shared_encode(features["left"])\n'
    ) in migration.text
    compile(migration.text, "migrated.py", "exec")


def test_layers_that_an_object_has_are_shared_by_it() -> None:
    migration = _of_an_object(
        ('encode(features["left"])', 'judge(features["left"])'),
        ('encode(features["right"])', 'judge(features["right"])'),
    )
    assert not _stays(migration)
    assert "Shared" not in migration.text
    assert 'left = encoder.judge(features["left"])' in migration.text


def test_an_object_of_a_loop_stays() -> None:
    migration = _of_an_object(('with tf.variable_scope("sides")', "for _ in range(1)"))
    assert "a loop or a condition makes its object" in _stays(migration)
