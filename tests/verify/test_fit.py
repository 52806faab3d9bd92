"""`tf1to2 verify` of Estimators that become Keras's Model.fit."""

from __future__ import annotations

import pathlib

import pytest

from reference.verify.verdict import Outcome
from tests.verify.support import migrated, unproven, verified

MODEL = """\
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
    y = tf.layers.dense(features["x"], 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.reduce_mean(tf.square(y - labels))
    train = tf.train.MomentumOptimizer(0.01, 0.5).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


x = np.arange(8, dtype=np.float32).reshape(8, 1)
input_fn = tf.estimator.inputs.numpy_input_fn(
    {"x": x}, 2 * x, batch_size=4, num_epochs=None, shuffle=True)
eval_fn = tf.estimator.inputs.numpy_input_fn(
    {"x": x}, 3 * x, batch_size=3, num_epochs=1, shuffle=False)
estimator = tf.estimator.Estimator(model_fn)
"""
RUNS = {
    "train, evaluate and predict": """\
estimator.train(input_fn, steps=5)
estimator.evaluate(eval_fn)
for one in estimator.predict(
        tf.estimator.inputs.numpy_input_fn({"x": x}, shuffle=False)):
    print(one["y"])
""",
    "trained twice": """\
estimator.train(input_fn, steps=3)
estimator.evaluate(eval_fn)
estimator.train(input_fn, steps=2)
estimator.evaluate(eval_fn)
""",
    "train_and_evaluate": """\
tf.estimator.train_and_evaluate(
    estimator, tf.estimator.TrainSpec(input_fn, max_steps=5),
    tf.estimator.EvalSpec(eval_fn, steps=None))
""",
}


def _written(directory: pathlib.Path, runs: str) -> pathlib.Path:
    old = directory / "old" / "fitted.py"
    old.parent.mkdir()
    old.write_text(MODEL + RUNS[runs])
    return old


@pytest.mark.parametrize("runs", RUNS)
def test_a_fit_is_compared_in_whole(tmp_path: pathlib.Path, runs: str) -> None:
    """Steps of evaluations are none of the training's; the step and the rows are alike."""
    verdict = verified(_written(tmp_path, runs), None, tmp_path / "equal")
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    assert verdict.comparison is not None and verdict.comparison.steps == (5, 5)
    compared = {(row.kind, row.name) for row in verdict.comparison.rows}
    assert {
        ("variable", "global_step"),
        ("variable", "dense/kernel/Momentum"),
        ("metric", "loss"),
        ("metric", "global_step"),
    } <= compared
    assert (("prediction", "y") in compared) is ("predict" in runs)


def test_another_input_of_the_second_training_is_found(tmp_path: pathlib.Path) -> None:
    old = _written(tmp_path, "trained twice")
    call = "model.fit(\n    estimator_inputs.dataset_of("
    fault = (f"{call}input_fn)", f"{call}eval_fn)")
    new = migrated(old, tmp_path / "new", fault)
    verdict = verified(old, new, tmp_path / "different")
    assert verdict.outcome is Outcome.DIFFERENT, unproven(verdict)


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        (("3 * x", "4 * x"), "metric loss"),
        (("self.mean_loss.update_state(loss)", "pass"), "metric loss"),
        (('return {"y": y}', 'return {"y": 2 * y}'), "prediction y"),
        (("(0.01, 0.5)", "(0.01, 0.4)"), "variable dense/"),
    ],
)
def test_a_fault_in_a_fit_is_found(
    tmp_path: pathlib.Path, fault: tuple[str, str], where: str
) -> None:
    old = _written(tmp_path, "train, evaluate and predict")
    new = migrated(old, tmp_path / "new", fault)
    verdict = verified(old, new, tmp_path / "different")
    assert verdict.outcome is Outcome.DIFFERENT, unproven(verdict)
    assert where in verdict.line
