"""Updates, rates and metrics that functions make for a model_fn, in its file or another."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

ROOT = pathlib.Path(__file__).parents[3]
_MODEL = """\
def model_fn(features, labels, mode, params):
    net = tf.layers.dense(features["x"], 4, tf.nn.relu)
    logits = tf.layers.dense(net, 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = optimize(loss, params["rate"])
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


e = tf.estimator.Estimator(model_fn, params={"rate": 0.1})
"""
_OPTIMIZE = '''\
def optimize(error, rate=0.1):
    """Makes a step."""
    # Not too far.
    optimizer = tf.train.AdamOptimizer(rate)
    net = optimizer.compute_gradients(error)
    return optimizer.apply_gradients(net, tf.train.get_global_step())


'''


def _migrated(text: str) -> tuple[str, str]:
    """The result, and why a model_fn in it stays one."""
    migration = migrate_text("import tensorflow as tf\n\n\n" + text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    stays = "; ".join(f.reason for f in migration.findings if f.code == "K110")
    return migration.text, stays


def _tree(directory: pathlib.Path, model: str, **files: str) -> tuple[str, str]:
    """A migrated tree's model.py, and what the command said."""
    source = directory / "tree"
    source.mkdir()
    for name, text in {"model": model, **files}.items():
        (source / f"{name}.py").write_text("import tensorflow as tf\n" + text)
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", source, "--output",
         directory / "new"],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    return (directory / "new" / "model.py").read_text(), done.stdout + done.stderr


def test_an_update_is_written_where_it_is_called() -> None:
    """Under names that the model_fn has not, and with its comments."""
    text, stays = _migrated(_OPTIMIZE + _MODEL)
    assert not stays and "class EstimatorModel(tf_keras.Model)" in text
    assert "        # Not too far.\n        optimizer = " in text
    assert 'AdamOptimizer(params["rate"])' in text
    assert "self.optimizer.apply_gradients(net_2)" in text
    assert "def optimize(" not in text  # Nothing calls it any more.


@pytest.mark.parametrize(
    "old, new",
    [
        # What it returns depends on more than its end.
        ("    # Not too far.\n", "    if rate == 0:\n        return tf.no_op()\n"),
        ("    # Not too far.\n", "    global RATE\n    RATE = rate\n"),
        ("def optimize(error, rate=0.1):", "def optimize(error, *rate):"),
        # It is no update of its own, but another function's.
        ("return optimizer.apply_gradients(net, tf.train.get_global_step())",
         "return other(optimizer, net)"),
        ("    # Not too far.\n", "    name = f'{rate}'\n"),
    ],
)  # fmt: skip
def test_what_is_not_certain_stays_a_call(old: str, new: str) -> None:
    assert old in _OPTIMIZE
    text, stays = _migrated(_OPTIMIZE.replace(old, new) + _MODEL)
    assert "its train_op is not a single call" in stays
    assert "train_op = optimize(loss, params" in text


def test_a_model_fn_that_stays_calls_the_function() -> None:
    """The update alone could be a Keras model's, but the rest cannot."""
    held = _MODEL.replace("net = ", "self = tf.nn.top_k(features['x'])\n    net = ")
    text, stays = _migrated(_OPTIMIZE + held)
    assert stays and "train_op = optimize(loss, params" in text
    assert "net_2" not in text


def test_names_of_another_file_are_named_from_here(tmp_path: pathlib.Path) -> None:
    model = "import tools\n" + _MODEL.replace("optimize(", "tools.optimize(")
    tools = "SMALL = 1e-3\n" + _OPTIMIZE.replace(
        "AdamOptimizer(rate", "AdamOptimizer(SMALL"
    )
    text, told = _tree(tmp_path, model, tools=tools)
    assert "K110" not in told and "0 refused" in told
    assert "tf.compat.v1.train.AdamOptimizer(tools.SMALL)" in text


@pytest.mark.parametrize(
    "line, tools",
    [
        # The model's file has no name for it.
        ("from tools import optimize\n",
         "SMALL = 1e-3\n" + _OPTIMIZE.replace("Optimizer(rate", "Optimizer(SMALL")),
        # A rate that follows the step would stand still where the model is made.
        ("from tools import optimize\n",
         "def falling(rate):\n"
         "    return rate / tf.to_float(tf.train.get_global_step() + 1)\n\n\n"
         + _OPTIMIZE.replace("Optimizer(rate", "Optimizer(falling(rate)")),
    ],
)  # fmt: skip
def test_what_cannot_be_named_stays_a_call(
    line: str, tools: str, tmp_path: pathlib.Path
) -> None:
    text, told = _tree(tmp_path, line + _MODEL, tools=tools)
    assert "K110" in told and "0 refused" in told
    assert "train_op = optimize(loss, params" in text


_APPLIED = """\
    optimizer = tf.train.AdamOptimizer(falling(params["rate"]))
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
"""
_CALL = '    train_op = optimize(loss, params["rate"])\n'


@pytest.mark.parametrize(
    "falling, keras",
    [
        ("    return tf.train.exponential_decay(\n"
         "        rate, tf.train.get_global_step(), 10, 0.9)\n", True),
        ("    return max(rate, 0.01)\n", True),
        ("    step = tf.to_float(tf.train.get_global_step())\n"
         "    return rate * tf.minimum(1.0, (step + 1.0) / 10.0)\n", False),
        ("    step = tf.cast(tf.train.get_global_step(), tf.int32)\n"
         "    return tf.train.piecewise_constant(step, [3], [rate, 0.1])\n", False),
    ],
)  # fmt: skip
def test_a_rate_of_another_file(
    falling: str, keras: bool, tmp_path: pathlib.Path
) -> None:
    """A function that asks for the step gives the model the first step's rate."""
    model = "from rates import falling\n" + _MODEL.replace(_CALL, _APPLIED)
    text, told = _tree(tmp_path, model, rates="\n\ndef falling(rate):\n" + falling)
    assert ("tf_keras.Model" in text) is keras
    assert ("K110" not in told) is keras


def test_a_rate_of_a_package_that_is_not_in_sight() -> None:
    text, stays = _migrated(
        "from rates import falling\n\n\n" + _MODEL.replace(_CALL, _APPLIED)
    )
    assert "falling() makes its optimizer, and the tool cannot tell which one" in stays
    assert "tf_keras.Model" not in text


def test_metrics_of_another_file(tmp_path: pathlib.Path) -> None:
    model = "import judged\n" + _MODEL.replace(
        "(mode, loss=loss)", "(\n            mode, loss=loss, "
        "eval_metric_ops=judged.metrics_of(labels, logits))"
    ).replace(_CALL, _APPLIED.replace("falling", ""))  # fmt: skip
    judged = (
        "\n\ndef metrics_of(labels, logits):\n"
        "    classes = tf.argmax(logits, 1)\n"
        '    return {"accuracy": tf.metrics.accuracy(labels, classes)}\n'
    )
    text, told = _tree(tmp_path, model, judged=judged)
    assert "K110" not in told and "0 refused" in told
    assert "self.accuracy.update_state(labels, classes)" in text
