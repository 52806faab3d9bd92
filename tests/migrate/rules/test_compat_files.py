"""Files of tensorflow.compat.v1 that stay so, and files that are left whole."""

from __future__ import annotations

import importlib
import json
import pathlib
import sys

import numpy as np
import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.tables import legacy_keras, symbols
from reference import processes

# -- layers and cells -------------------------------------------------------------------

GRAPH = """\
import json
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def network(x):
    ones = tf.ones_initializer()
    h = tf.layers.dense(x, 3, tf.nn.tanh, kernel_initializer=ones, name="first")
    h = tf.layers.dense(h, 3, kernel_initializer=ones, name="first", reuse=True)
    h = tf.layers.batch_normalization(h, training=True)
    cells = [tf.nn.rnn_cell.GRUCell(2, kernel_initializer=ones) for _ in range(2)]
    cell = tf.nn.rnn_cell.MultiRNNCell(cells)
    out, _ = tf.nn.dynamic_rnn(cell, tf.stack([h, h], 1), dtype=tf.float32)
    return tf.layers.flatten(out)


x = tf.placeholder(tf.float32, [None, 3])
y = network(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    value = sess.run(y, {x: [[0.1, -0.2, 0.4], [0.3, 0.3, 0.3]]})
    names = sorted(v.name for v in tf.global_variables())
print(json.dumps([value.tolist(), names]))
"""
# What TensorFlow 1.15.5 printed.
NAMES = [
    *(f"batch_normalization/{n}:0" for n in ("beta", "gamma")),
    *(f"batch_normalization/moving_{n}:0" for n in ("mean", "variance")),
    "first/bias:0",
    "first/kernel:0",
    *(
        f"rnn/multi_rnn_cell/cell_{cell}/gru_cell/{part}/{n}:0"
        for cell in (0, 1)
        for part in ("candidate", "gates")
        for n in ("bias", "kernel")
    ),
]
RECORDED = [
    [-0.639940083026886, -0.639940083026886, -0.9396662712097168, -0.9396662712097168],
    [
        0.009405511431396008,
        0.009405511431396008,
        0.028157077729701996,
        0.028157077729701996,
    ],
]
# tanh, exp and the products differ by an ULP or two between the versions.
TOLERANCE = 1e-6


def _printed(python: str, text: str, path: pathlib.Path) -> tuple[object, list[str]]:
    path.write_text(text)
    done = processes.run_program(
        [python, path], environment={"TF_CPP_MIN_LOG_LEVEL": "3"}
    )
    value, names = json.loads(done.stdout.splitlines()[-1])
    return value, names


def test_layers_and_cells_compute_what_tf1_computed(tmp_path: pathlib.Path) -> None:
    result = migrate_text(GRAPH)
    assert {f.code for f in result.findings} == {"T105", "L104"}
    value, names = _printed(sys.executable, result.text, tmp_path / "new.py")
    assert names == NAMES
    assert np.allclose(value, RECORDED, rtol=0, atol=TOLERANCE)
    # Another activation would show.
    other = result.text.replace("tf.nn.tanh", "tf.nn.relu")
    assert other != result.text
    value, _ = _printed(sys.executable, other, tmp_path / "other.py")
    assert not np.allclose(value, RECORDED, rtol=0, atol=100 * TOLERANCE)


def test_what_tf1_computes_is_recorded(tf1: str, tmp_path: pathlib.Path) -> None:
    value, names = _printed(tf1, GRAPH, tmp_path / "old.py")
    assert names == NAMES
    assert np.allclose(value, RECORDED, rtol=0, atol=1e-7)


def test_all_layers_and_cells_exist_in_keras() -> None:
    listed = [s for s in symbols.list_symbols() if legacy_keras.find_home(s)]
    assert len(listed) > 40
    for symbol in listed:
        home = legacy_keras.find_home(symbol)
        assert home is not None
        module = importlib.import_module(legacy_keras.PACKAGE)
        _, kind, _, name = home[0].split()[1:2] + home[0].split()[3:6]
        path = home[1].split(".")[1:]
        found = getattr(module, kind)
        for part in path:
            found = getattr(found, part)


def test_a_name_of_the_files_own_is_left() -> None:
    text = (
        "import tensorflow.compat.v1 as tf\ntf1_layers = 1\na = tf.layers.dense(b, 1)\n"
    )
    result = migrate_text(text)
    assert [f.code for f in result.findings if f.outcome is Outcome.REFUSED] == ["N150"]


def test_another_name_for_the_module() -> None:
    old = "import tensorflow.compat.v1 as tf\nlayers = tf.layers\na = layers.dense(b)\n"
    result = migrate_text(old)
    assert result.text.endswith("\nlayers = tf1_layers\na = layers.dense(b)\n")
    assert migrate_text(result.text).text == result.text


# -- Estimators -------------------------------------------------------------------------

LIBRARY = """\
import tensorflow.compat.v1 as tf
from tensorflow.compat.v1 import estimator as tf_estimator


class Counter(tf_estimator.SessionRunHook):
    def begin(self):
        self.step = tf.train.get_global_step()


def spec(features, mode):
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [])
    saver = tf.train.Saver()
    return tf_estimator.EstimatorSpec(mode, loss=w * features)


def trees(columns):
    return tf_estimator.BoostedTreesClassifier(columns, 1)
"""


def test_specs_and_hooks_of_a_library_are_those_of_the_emitted_module() -> None:
    """One refusal does not leave the file whole: compat.v1 works where a graph is."""
    result = migrate_text(LIBRARY)
    refused = [f for f in result.findings if f.outcome is Outcome.REFUSED]
    # The import stays for the one that is refused, and TensorFlow 2 lacks it.
    assert [(f.code, f.line) for f in refused] == [("T111", 2), ("E117", 18)]
    for line in (
        "import tensorflow.compat.v1 as tf",
        "class Counter(estimator_loop.SessionRunHook):",
        '    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):',
        "    saver = estimator_loop.Saver()",
        "    return estimator_loop.EstimatorSpec(mode, loss=w * features)",
        "    return tf_estimator.BoostedTreesClassifier(columns, 1)",
    ):
        assert line in result.text.splitlines()
    assert migrate_text(result.text).text == result.text


def test_beside_a_session_only_hooks_have_another_name() -> None:
    """They are tf.train's classes, which sessions and the emitted module both call."""
    text = LIBRARY + "\n\nsession = tf.Session()\n"
    result = migrate_text(text)
    assert "class Counter(tf.train.SessionRunHook):" in result.text
    refused = [f.line for f in result.findings if f.code == "N101"]
    assert refused == [14, 18]


def _trained(hook: object, steps: int) -> None:
    import tensorflow as tf

    from migrate.support import estimator_loop

    # Another test of this process may have left a global step in it.
    tf.compat.v1.reset_default_graph()

    def model_fn(features, labels, mode):  # type: ignore[no-untyped-def]
        w = tf.compat.v1.get_variable(
            "w", [], initializer=tf.compat.v1.ones_initializer()
        )
        loss = tf.reduce_mean(tf.square(w - features["x"]), name="loss")
        step = tf.compat.v1.train.get_global_step()
        train = tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(loss, step)
        return estimator_loop.EstimatorSpec(mode, loss=loss, train_op=train)

    data = estimator_loop.inputs.numpy_input_fn(
        {"x": np.zeros(4, np.float32)}, batch_size=2, num_epochs=None, shuffle=False
    )
    estimator_loop.Estimator(model_fn).train(data, hooks=[hook], steps=steps)


def test_the_emitted_module_calls_hooks_of_compat_v1() -> None:
    """A hook class that a session could have, too; TensorFlow's own need one."""
    import tensorflow as tf

    train = tf.compat.v1.train

    class Losses(train.SessionRunHook):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.seen: list[float] = []

        def before_run(self, run_context: object) -> object:
            return train.SessionRunArgs("loss:0")

        def after_run(self, run_context: object, run_values: object) -> None:
            self.seen.append(float(run_values.results))  # type: ignore[attr-defined]

    hook = Losses()
    _trained(hook, 3)
    assert hook.seen == [1.0, 0.25, 0.0625]
    with pytest.raises(TypeError, match="hooks of estimator_loop"):
        _trained(train.StepCounterHook(), 1)

    class Feeding(Losses):
        def before_run(self, run_context: object) -> object:
            return train.SessionRunArgs("loss:0", feed_dict={"x:0": 1})

    with pytest.raises(ValueError, match="cannot be fed"):
        _trained(Feeding(), 1)


# -- files that are left whole ----------------------------------------------------------

WHOLE = """\
import tensorflow as tf


def loss(x, mode=tf.estimator.ModeKeys.TRAIN):
    w = tf.get_variable("w", [3, 1])
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.log(tf.matmul(x, w))
    return tf.placeholder(tf.float32)
"""


def test_modes_are_written_out_in_a_file_that_is_left_whole() -> None:
    result = migrate_text(WHOLE)
    lines = [
        line for line in result.text.splitlines() if not line.lstrip().startswith("#")
    ]
    expected = WHOLE.replace("tf.estimator.ModeKeys.TRAIN", '"train"')
    expected = expected.replace("tf.estimator.ModeKeys.PREDICT", '"infer"')
    assert lines == expected.splitlines()
    outcomes = {f.symbol: f.outcome for f in result.findings}
    assert outcomes["tf.estimator.ModeKeys.TRAIN"] is Outcome.REWRITTEN
    assert outcomes["tf.log"] is Outcome.REFUSED
    assert migrate_text(result.text).text == result.text


def test_modes_through_a_name() -> None:
    text = WHOLE.replace("tf.estimator.ModeKeys.", "Modes.")
    text = text.replace("\n\n\n", "\nModes = tf.estimator.ModeKeys\n\n\n")
    new = migrate_text(text).text
    assert 'mode="train"' in new and "Modes = tf.estimator.ModeKeys" in new
    assert migrate_text(new).text == new
