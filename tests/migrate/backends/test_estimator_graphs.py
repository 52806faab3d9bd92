"""Graph code of a kept model_fn that TF2's variables need otherwise, or that is refused."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes

PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf
X = (np.arange(24).reshape(12, 2) % 7 / 7.0).astype(np.float32)
Y = (np.arange(12) % 3).astype(np.int32)
INIT = tf.constant_initializer(np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]], np.float32))

def input_fn():
    return tf.data.Dataset.from_tensor_slices(({{"x": X}}, Y)).repeat(2).batch(4)

def model_fn(features, labels, mode):
    h = tf.layers.dense(features["x"], 3, kernel_initializer=INIT{layer})
    {between}
    logits = tf.layers.dense(h, 3, kernel_initializer=tf.constant_initializer([[0.1, 0.2, 0.3]] * 3))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_global_step()
    opt = tf.train.GradientDescentOptimizer(0.1)
    {train}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

estimator = tf.estimator.Estimator(model_fn, model_dir=sys.argv[1])
estimator.train(input_fn, steps=6)
for name in ("dense/kernel", "dense_1/kernel"):
    print("OUT", " ".join("%.5f" % v for v in estimator.get_variable_value(name).ravel()))
"""
CHOSEN = (
    "train_op = opt.minimize(loss, step, var_list="
    "[v for v in tf.trainable_variables() if v {} first])"
)
FIRST = "first = tf.trainable_variables()"
FROZEN = "OUT 0.10000 -0.20000 0.30000 0.40000 0.50000 -0.60000"
ACCUMULATED = """\
tvars = tf.trainable_variables()
    sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for v in tvars]
    adds = [s.assign_add(g) for s, g in zip(sums, tf.gradients(loss, tvars))]
    with tf.control_dependencies(adds):
        update = opt.apply_gradients([(s / 2, v) for s, v in zip(sums, tvars)])
    with tf.control_dependencies([update]):
        train_op = tf.assign_add(step, 1)"""


def _write(layer: str = "", between: str = "pass", train: str = "") -> str:
    return PROGRAM.format(layer=layer, between=between, train=train)


def _run(text: str, directory: pathlib.Path) -> list[str]:
    new = migrate_text(text).text
    assert new != text
    program = directory / "program.py"
    program.write_text(new)
    beside.write(directory, new)
    done = processes.run_program(
        [sys.executable, program, directory / "model"], timeout=200
    )
    return [line for line in done.stdout.splitlines() if line.startswith("OUT")]


@pytest.mark.parametrize(("which", "frozen"), [("not in", 0), ("in", 1)])
def test_variables_are_compared_by_identity(
    which: str, frozen: int, tmp_path: pathlib.Path
) -> None:
    """`first` has what was made before it: the other layer trains, or this one alone."""
    first, second = _run(_write(between=FIRST, train=CHOSEN.format(which)), tmp_path)
    untrained = "OUT " + " ".join(["0.10000 0.20000 0.30000"] * 3)
    assert (first == FROZEN) is (frozen == 0)
    assert (second == untrained) is (frozen == 1)


def test_initial_values_of_variables_are_read(tmp_path: pathlib.Path) -> None:
    found = _run(_write(train=ACCUMULATED), tmp_path)
    assert len(found) == 2 and FROZEN not in found


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            _write(
                layer=", activity_regularizer=tf.nn.l2_loss",
                train="train_op = opt.minimize(loss, step)",
            ),
            "N105",
        ),
        (
            _write(
                train="ema = tf.train.ExponentialMovingAverage(0.9)\n"
                "    train_op = tf.group(opt.minimize(loss, step), ema.apply([loss]))"
            ),
            "O120",
        ),
    ],
)
def test_what_no_emitted_module_has_is_refused(text: str, code: str) -> None:
    refused = {
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    }
    assert code in refused


def test_a_model_fn_that_lists_variables_before_a_layer_is_kept() -> None:
    """A Keras model would list those of the later layers, too."""
    early = _write(
        between=FIRST, train="train_op = opt.minimize(loss, step, var_list=first)"
    )
    late = early.replace(f"    {FIRST}\n", "").replace(
        "    loss =", f"    {FIRST}\n    loss ="
    )
    assert "def model_fn(" in migrate_text(early).text
    assert "def model_fn(" not in migrate_text(late).text
