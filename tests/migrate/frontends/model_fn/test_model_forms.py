"""Losses, functions and rates within model_fns, in forms of which Keras models come."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

_HEAD = """\
import tensorflow as tf


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features["x"], 3)
"""
_LOSS = "    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
_TAIL = """\
    train_op = tf.train.AdamOptimizer(params["rate"]).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model", params={"rate": 0.1})
"""


def _migrated(text: str) -> Migration:
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    return migration


def _reasons(migration: Migration) -> list[str]:
    return [f.reason for f in migration.findings if f.code == "K110"]


def _body(body: str) -> str:
    return _HEAD + "".join(f"    {line}\n" for line in body.splitlines()) + _TAIL


@pytest.mark.parametrize(
    ("body", "new"),
    [
        (
            "tf.losses.sparse_softmax_cross_entropy(\n    labels, logits)\n"
            "loss = tf.losses.get_total_loss()",
            "tf.add_n([loss_1, *self.losses])",
        ),
        (
            "loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
            "tf.losses.add_loss(0.1 * tf.reduce_mean(\n    logits))\n"
            "total = tf.losses.get_total_loss(name='total')\n"
            "loss = total",
            "tf.add_n([loss, loss_1, *self.losses], name='total')",
        ),
        (
            "tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
            "loss = tf.losses.get_total_loss(False)",
            "tf.add_n([loss_1])",
        ),
        (
            "tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
            "tf.losses.mean_squared_error(labels, logits, loss_collection=None)\n"
            "loss = sum(tf.losses.get_losses())",
            "sum([loss_1])",
        ),
    ],
)
def test_losses_of_a_total_get_names(body: str, new: str) -> None:
    migration = _migrated(_body(body))
    assert not _reasons(migration)
    assert new in migration.text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            _LOSS.strip() + "\nloss = loss + 1.0\nloss = tf.losses.get_total_loss()",
            "the program assigns `loss`, a part of its total loss, again before it computes the total",
        ),
        (
            "for _ in range(2):\n"
            "    one = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
            "loss = tf.losses.get_total_loss()",
            "a part of its total loss is not assigned to a name",
        ),
        (
            _LOSS.strip() + "\nloss = tf.losses.get_total_loss(scope='a')",
            "it chooses losses by a scope",
        ),
        (
            "tf.losses.mean_squared_error(labels, logits, loss_collection='mine')\n"
            "loss = tf.losses.get_total_loss()",
            "a loss is in another collection",
        ),
        (
            _LOSS.strip() + "\nloss = tf.losses.get_total_loss(params['all'])",
            "a value at run time decides",
        ),
        (
            "if mode == tf.estimator.ModeKeys.TRAIN:\n"
            "    more = tf.losses.mean_squared_error(labels, logits)\n"
            "one = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
            "loss = tf.losses.get_total_loss()",
            "different losses in different modes",
        ),
        ("loss = tf.losses.get_total_loss()", "no loss that the model_fn makes"),
    ],
)
def test_a_total_of_what_is_not_certain_stays(body: str, reason: str) -> None:
    assert reason in _reasons(_migrated(_body(body)))[0]


def test_a_loss_that_a_function_collects_is_not_forgotten() -> None:
    helper = """\
def own(labels, logits):
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


"""
    body = (
        "one = own(labels, logits)\n"
        "two = tf.losses.mean_squared_error(labels, logits[:, 0])\n"
        "loss = tf.losses.get_total_loss()"
    )
    text = _body(body).replace("def model_fn", helper + "def model_fn")
    assert "own() adds a loss to the graph's total loss" in _reasons(_migrated(text))[0]


_INNER = """\
def loss_fn(z):
    return tf.reduce_mean(tf.square(z - tf.to_float(labels)))
"""


@pytest.mark.parametrize(
    ("body", "new"),
    [
        (_INNER + "loss = loss_fn(logits)", "loss_fn(logits, labels)"),
        (_INNER + "loss = loss_fn(z=logits)", "loss_fn(z=logits, labels=labels)"),
        (
            _INNER.replace("(z)", "(z, by=2.0)", 1) + "loss = loss_fn(\n    logits,\n)",
            "labels, logits",
        ),
        (
            _INNER.replace("(z)", "()", 1).replace("z -", "logits -")
            + "loss = loss_fn()",
            "loss_fn(logits, labels)",
        ),
        (
            # One that calls another.
            _INNER + "def twice(z):\n    return 2.0 * loss_fn(z)\nloss = twice(logits)",
            "loss_fn(z, labels)",
        ),
        (
            "if mode == tf.estimator.ModeKeys.TRAIN:\n    print('training')\n"
            "    def inner(g):\n        return g * params['rate']\n"
            "loss = tf.reduce_mean(logits)",
            "class EstimatorModel",
        ),
    ],
)
def test_a_function_is_given_what_it_closed_over(body: str, new: str) -> None:
    migration = _migrated(_body(body))
    assert not _reasons(migration)
    assert new in migration.text


@pytest.mark.parametrize(
    "body",
    [
        # Named otherwise than where it is called.
        _INNER + "fs = [loss_fn]\nloss = fs[0](logits)",
        _INNER + "loss = tf.map_fn(loss_fn, logits)",
        # Another name of the same kind, where it is called.
        _INNER + "loss = sum([loss_fn(z) for labels, z in [(logits, logits)]])",
        # What it is depends on where it stands.
        "def loss_fn(z, y=logits):\n    return tf.reduce_mean(z - y)\n"
        "loss = loss_fn(logits)",
        "def loss_fn(*z):\n    return tf.reduce_mean(z[0])\nloss = loss_fn(logits)",
        "count = 0\ndef loss_fn(z):\n    nonlocal count\n    count += 1\n"
        "    return tf.reduce_mean(z)\nloss = loss_fn(logits)",
        "def loss_fn(z, n):\n    return loss_fn(z, n - 1) if n else tf.reduce_mean(z)\n"
        "loss = loss_fn(logits, 2)",
        "def loss_fn(z):\n    return tf.reduce_mean(z)\nloss = loss_fn(*[logits])",
    ],
)
def test_a_function_that_cannot_move_keeps_the_model_fn(body: str) -> None:
    migration = _migrated(_body(body))
    assert "it defines a function or a class" in _reasons(migration)[0]
    assert "    def loss_fn" in migration.text


def test_a_name_that_is_taken_gets_the_model_fn_s_before_it() -> None:
    text = "from losses import loss_fn\n" + _body(_INNER + "loss = loss_fn(logits)")
    migration = _migrated(text)
    assert "def model_fn_loss_fn(z, labels):" in migration.text
    assert "model_fn_loss_fn(logits, labels)" in migration.text


def _rate(rate: str, before: str = "") -> Migration:
    text = _HEAD + _LOSS + before + _TAIL.replace('params["rate"]', rate)
    return _migrated(text)


@pytest.mark.parametrize(
    "rate",
    [
        "0.1 * tf.train.exponential_decay(0.1, tf.train.get_global_step(), 9, 0.5)",
        "learning_rate=0.1 / tf.to_float(tf.train.get_global_step() + 1)",
        "\n        lambda: 0.1 / (\n            1 + tf.to_float(tf.train.get_global_step()))",
    ],
)
def test_a_rate_in_the_call_is_a_function(rate: str) -> None:
    migration = _rate(rate)
    assert not _reasons(migration)
    assert "def learning_rate():" in migration.text


@pytest.mark.parametrize(
    ("rate", "before"),
    [
        # Read when it is called, and bound anew by then.
        (
            "lambda: by / tf.to_float(tf.train.get_global_step())",
            "    by = 1.0\n    by = 2.0\n",
        ),
        ("tf.reduce_mean(logits)", ""),
    ],
)
def test_a_rate_that_is_not_certain_stays(rate: str, before: str) -> None:
    assert _reasons(_rate(rate, before))


def test_a_seed_of_the_graph_is_set_before_the_layers() -> None:
    text = (_HEAD + _LOSS + _TAIL).replace(
        "    logits", "    tf.set_random_seed(1)\n    logits", 1
    )
    migration = _migrated(text)
    assert not _reasons(migration)
    made = migration.text.index("set_random_seed(1)")
    assert made < migration.text.index("tf_keras.layers.Dense")
    later = _migrated(_body("tf.set_random_seed(1)\n" + _LOSS.strip()))
    assert "it sets the graph's seed after tf.layers.dense" in _reasons(later)[0]
    some = _body(
        "if mode == tf.estimator.ModeKeys.TRAIN:\n    tf.set_random_seed(1)\n"
        + _LOSS.strip()
    )
    assert _reasons(_migrated(some))


def test_labels_may_be_missing() -> None:
    text = (_HEAD + _TAIL).replace("features, labels, mode", "features, mode")
    text = text.replace(
        "    train_op", "    loss = tf.reduce_mean(logits)\n    train_op"
    )
    migration = _migrated(text)
    assert not _reasons(migration)
    assert "features, _, _ = tf_keras.utils.unpack_x_y_sample_weight(data)" in (
        migration.text
    )


def test_what_decides_is_told_and_not_what_came_first() -> None:
    body = _INNER + "loss = loss_fn(logits)\ntf.assert_positive(loss)"
    migration = _migrated(_body(body))
    (found,) = (f for f in migration.findings if f.code == "K110")
    assert "does more than assign a value to a name" in found.reason
    assert found.line == 9


_BLOCK = """\
def block(x, units):
    return tf.nn.relu(tf.layers.dense(x, units))


"""


def _with_blocks(body: str) -> Migration:
    text = _body(body + "\n" + _LOSS.strip()).replace(
        "def model_fn", _BLOCK + "def model_fn"
    )
    return _migrated(
        text.replace('    logits = tf.layers.dense(features["x"], 3)\n', "", 1)
    )


@pytest.mark.parametrize(
    "body",
    [
        "net = block(features['x'], 4)\nnet = block(net, 5)\n"
        "logits = tf.layers.dense(net, 3)",
        "net = features['x']\nfor units in [4, 5]:\n    net = block(net, units)\n"
        "logits = tf.layers.dense(net, 3, name='logits')",
        "logits = block(block(features['x'], 4), 3)",
    ],
)
def test_a_function_is_called_again_and_keras_numbers_its_layers(body: str) -> None:
    migration = _with_blocks(body)
    assert not _reasons(migration)
    assert "tf_keras.layers.Dense(units=units)(x)" in migration.text
    assert 'name="dense' not in migration.text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        # Keras would make the outer one first.
        (
            "net = block(block(features['x'], 4), 5)\n"
            "logits = tf.layers.dense(tf.layers.dense(net, 3), 3)",
            "in the call of another layer",
        ),
        (
            "net = block(features['x'], 4)\nlogits = tf.layers.dense(block(net, 5), 3)",
            "in the call of another layer",
        ),
        (
            "net = features['x']\nfor units in [4, 5]:\n"
            "    net = tf.layers.dense(tf.layers.dense(net, 2), units)\n"
            "logits = tf.layers.dense(net, 3)",
            "in the call of another layer",
        ),
        (
            "net = tf.layers.dense(features['x'], 4, name='dense_2')\n"
            "logits = block(block(net, 4), 3)",
            "a layer has a name that TensorFlow 1 gives to layers without a name (dense)",
        ),
    ],
)
def test_layers_that_keras_would_number_otherwise(body: str, reason: str) -> None:
    assert reason in _reasons(_with_blocks(body))[0]


_STEP = "tf.train.get_global_step()"


@pytest.mark.parametrize(
    ("variables", "new"),
    [
        ("tf.trainable_variables('dense')", '.startswith("dense")'),
        (
            "tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='dense/')",
            '.startswith("dense/")',
        ),
        (
            "tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)",
            "variables = self.trainable_variables\n",
        ),
    ],
)
def test_variables_of_a_scope_are_trained(variables: str, new: str) -> None:
    text = (_HEAD + _LOSS + _TAIL).replace(
        f"global_step={_STEP})", f"global_step={_STEP}, var_list={variables})"
    )
    migration = _migrated(text)
    assert not _reasons(migration)
    assert new in migration.text


@pytest.mark.parametrize(
    "variables",
    [
        "tf.trainable_variables('a|b')",
        "tf.trainable_variables(params['scope'])",
        "[v for v in tf.trainable_variables() if 'bias' not in v.name]",
        "tf.global_variables()",
        "tf.trainable_variables('a') + tf.trainable_variables('b')",
    ],
)
def test_variables_that_are_chosen_otherwise_keep_the_model_fn(variables: str) -> None:
    text = (_HEAD + _LOSS + _TAIL).replace(
        f"global_step={_STEP})", f"global_step={_STEP}, var_list={variables})"
    )
    assert "does not choose by a scope's name" in _reasons(_migrated(text))[0]


def test_on_devices_a_total_of_losses_keeps_the_model_fn() -> None:
    text = _body(_LOSS.strip() + "\nloss = tf.losses.get_total_loss()")
    text += "strategy = tf.distribute.MirroredStrategy()\n"
    assert "the losses of other devices" in _reasons(_migrated(text))[0]
