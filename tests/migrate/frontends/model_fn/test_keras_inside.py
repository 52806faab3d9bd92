"""Keras's own layers in a model_fn, and names for Keras's modules."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import tensorflow as tf

layers = tf.keras.layers


def model_fn(features, labels, mode):
    x = features["x"]
    {line}
    loss = tf.reduce_mean(x)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
"""


def _refused(line: str) -> list[tuple[str, str]]:
    found = migrate_text(PROGRAM.replace("{line}", line)).findings
    own = [f for f in found if f.outcome is Outcome.REFUSED and f.code != "N100"]
    return [(f.code, f.symbol) for f in own]


def test_a_name_for_a_module_is_of_the_same_keras() -> None:
    text = migrate_text(PROGRAM.replace("{line}", "x = layers.Dense(3)(x)")).text
    assert "import tf_keras\n" in text
    assert "layers = tf_keras.layers\n" in text
    assert "x = layers.Dense(3)(x)" in text
    assert migrate_text(text).text == text


@pytest.mark.parametrize(
    "line",
    [
        "x = tf.keras.layers.LSTM(4)(x)",
        "x = layers.LSTM(4)(x)",
        'x = tf.keras.layers.GRU(4, recurrent_activation="hard_sigmoid")(x)',
        "x = tf.keras.layers.GRU(4, reset_after=False)(x)",
        "x = tf.keras.layers.LSTMCell(*sizes)(x, x)",
        "cell = tf.keras.layers.GRUCell",
    ],
)
def test_defaults_that_keras_2_changed_are_refused(line: str) -> None:
    assert [code for code, _ in _refused(line)] == ["K166"]


@pytest.mark.parametrize(
    "line",
    [
        'x = tf.keras.layers.LSTM(4, "tanh", "sigmoid")(x)',
        'x = layers.LSTM(4, recurrent_activation="hard_sigmoid")(x)',
        'x = layers.GRU(4, reset_after=True, recurrent_activation="sigmoid")(x)',
        "x = layers.SimpleRNN(4)(x)",
    ],
)
def test_with_these_arguments_they_compute_the_same(line: str) -> None:
    assert not _refused(line)


def test_averages_that_nothing_moved_are_refused() -> None:
    line = "x = layers.BatchNormalization()(x, training=True)"
    assert _refused(line) == [("L123", "tf.keras.layers.BatchNormalization")]
    line = (
        "norm = layers.BatchNormalization()\n    x = norm(x, training=True)\n"
        "    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, norm.updates)"
    )
    assert not _refused(line)


@pytest.mark.parametrize(
    ("line", "moved"),
    [
        ("norm.get_updates_for(x)", True),
        ("norm.get_updates_for(inputs=x)", True),
        ("norm.get_updates_for(None)", False),
    ],
)
def test_updates_of_no_inputs_move_nothing(line: str, moved: bool) -> None:
    made = "norm = layers.BatchNormalization()\n    x = norm(x, training=True)\n    "
    assert [code for code, _ in _refused(made + line)] == ([] if moved else ["L123"])


@pytest.mark.parametrize(
    "line",
    [
        "norm = layers.BatchNormalization(trainable=False)",
        "norm = layers.BatchNormalization()\n    norm.trainable = False",
        "norm = tf.keras.Sequential([layers.BatchNormalization()], "
        "name='norm')\n    norm.layers[0].trainable = mode == 'train'",
    ],
)
def test_frozen_averages_are_refused(line: str) -> None:
    used = "\n    x = norm(x, training=True)\n    updates = norm.updates"
    assert _refused(line + used) == [("L123", "tf.keras.layers.BatchNormalization")]
    made = "\n    v = tf.get_variable('v', [], trainable=False)"
    plain = "norm = layers.BatchNormalization()" + used + made
    assert not _refused(plain)


@pytest.mark.parametrize(
    "line",
    [
        "x = tf.keras.Sequential([layers.Dense(3)])(x)",
        "i = layers.Input([3])\n    x = tf.keras.Model(i, layers.Dense(3)(i))(x)",
    ],
)
def test_networks_stay(line: str) -> None:
    assert not _refused(line)


@pytest.mark.parametrize(
    "line",
    [
        "i = layers.Input(tensor=x)\n    x = tf.keras.Model(i, layers.Dense(3)(i)).output",
        "i = tf.keras.Input([3], None, None, tf.float32, False, x)",
        "i = tf.keras.Input(**options)",
        "new = tf.keras.Input",
        "x = tf.keras.applications.ResNet50()(x)",
    ],
)
def test_networks_that_keras_2_makes_otherwise_are_refused(line: str) -> None:
    assert [code for code, _ in _refused(line)] == ["K166"]


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ("tf.assign(mean, x)", True),
        ("updates=[tf.assign(mean, x)], inputs=True", True),
        ("lambda: tf.assign(mean, x), inputs=True", False),
    ],
)
def test_updates_of_a_layer_that_are_operations(given: str, refused: bool) -> None:
    """They would be run where they are made, and before what is computed after them."""
    line = f"mean = x; tf.keras.layers.Layer().add_update({given})"
    assert _refused(line) == ([("L123", "add_update")] if refused else [])


RUN = "\n    with tf.control_dependencies(ops):\n        x = tf.identity(x)"


@pytest.mark.parametrize(
    ("taken", "refused"),
    [
        ("[u for u in bn.updates if 'mean' in u.name]", True),
        ("list(u for u in bn.get_updates_for(x) if u is not x)", True),
        (
            "[]\n    for u in bn.updates:\n        ops.append(u) if u is x else None",
            True,
        ),
        ("[u for u in bn.updates]" + RUN, False),
        ("[u for one in [bn, bn] if one is bn for u in one.updates]" + RUN, False),
        # Taken, and never run; or run under a condition, or some of them.
        ("[u for u in bn.updates]", True),
        ("list(bn.updates)", True),
        ("[]\n    for u in bn.updates:\n        ops.append(u)", True),
        ("[]\n    ops += bn.updates", True),
        ("tf.group(*bn.updates)", True),
        ("bn.updates[:1]" + RUN, True),
        ("[bn.updates[0]]" + RUN, True),
        ("[u for u in bn.updates]\n    ops = []" + RUN, True),
        (
            "list(bn.updates)\n    if params['moves']:\n"
            "        x = tf.group(x, *ops)\n        with tf.control_dependencies(ops):\n"
            "            x = tf.identity(x)",
            True,
        ),
        ("[]\n    for u in bn.updates:\n        op = u" + RUN, True),
        ("[]\n    for u in bn.updates:\n        tf.add_to_collection('mine', u)", True),
        # All of them, or none.
        ("bn.updates", False),
        ("bn.updates + bn.get_updates_for(x)" + RUN, False),
        ("[]\n    for u in bn.updates:\n        ops.append(u)" + RUN, False),
        ("[]\n    for u in bn.updates:\n        ops += [u]" + RUN, False),
        ("[]\n    if mode == 'train':\n        ops = list(bn.updates)" + RUN, False),
        (
            "list(bn.updates)\n    if mode == tf.estimator.ModeKeys.TRAIN:\n"
            "        with tf.control_dependencies(ops):\n            x = tf.identity(x)",
            False,
        ),
        (
            "[]\n    for u in bn.updates:\n        tf.add_to_collection('mine', u)\n"
            "    with tf.control_dependencies(tf.get_collection('mine')):\n        x = x + 1",
            False,
        ),
        (
            "tf.group(*bn.updates)\n    train = tf.group(x, ops)\n    "
            "spec = tf.estimator.EstimatorSpec(mode, loss=x, train_op=train)",
            False,
        ),
    ],
)
def test_updates_are_taken_all_or_none(taken: str, refused: bool) -> None:
    line = f"bn = layers.BatchNormalization(); y = bn(x, True); ops = {taken}"
    assert _refused(line) == ([("L123", "updates")] if refused else [])
