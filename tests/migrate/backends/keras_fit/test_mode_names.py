"""Names of modes, however they are spelled, keep no Estimator and no hook."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding

PROGRAM = """\
import numpy as np
import tensorflow as tf

{own}
class CountHook(tf.train.SessionRunHook):
    def __init__(self, mode):
        self._training = mode == {modes}.TRAIN

    def begin(self):
        self._count = 0

    def after_run(self, run_context, run_values):
        self._count += 1
        if self._training:
            print(self._count)


def model_fn(features, labels, mode):
    net = tf.layers.dense(features["x"], 4, activation=tf.nn.relu)
    net = tf.layers.dropout(net, training=(mode == {modes}.TRAIN))
    out = tf.layers.dense(net, 1)
    if mode == {modes}.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={{"out": out}})
    loss = tf.losses.mean_squared_error(labels, out)
    if mode == {modes}.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(mode={modes}.TRAIN):
    x = np.ones([8, 3], np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(({{"x": x}}, x[:, :1]))
    if mode == {modes}.TRAIN:
        dataset = dataset.repeat()
    return dataset.batch(4)


estimator = tf.estimator.Estimator(model_fn, model_dir="/tmp/model")
estimator.train(input_fn, steps=10, hooks=[CountHook({modes}.TRAIN)])
print(estimator.evaluate(lambda: input_fn({modes}.EVAL)))
"""
OWN = """
class Modes:
    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"

"""
OF_TENSORFLOW = """
class Modes(object):
    TRAIN = tf.estimator.ModeKeys.TRAIN
    EVAL = tf.estimator.ModeKeys.EVAL
    PREDICT = tf.estimator.ModeKeys.PREDICT

"""


def told(own: str, modes: str) -> tuple[str, list[Finding]]:
    done = migrate_text(PROGRAM.format(own=own, modes=modes))
    codes = ("K110", "K131")
    return done.text, [f for f in done.findings if f.blocks or f.code in codes]


@pytest.mark.parametrize(
    ("own", "modes"),
    [
        ("", "tf.estimator.ModeKeys"),
        ("", "tf.contrib.learn.ModeKeys"),
        (OWN, "Modes"),
        (OF_TENSORFLOW, "Modes"),
    ],
)
def test_fit_trains_a_program_with_names_of_modes(own: str, modes: str) -> None:
    text, found = told(own, modes)
    assert not found
    assert "model.fit(" in text and "CountHook(tf_keras.callbacks.Callback)" in text
    assert not own or "class Modes" in text
    assert 'TRAIN = "train"' in text or 'mode == "train"' in text


@pytest.mark.parametrize(
    "own",
    [
        OWN + 'Modes.EVAL = "train"\n',
        OWN + "modes = [Modes]\n",
        OWN.replace("class Modes", "import enum\nclass Modes(enum.Enum)"),
        OWN.replace('EVAL = "eval"', 'EVAL = "eval"\n    EVAL = "train"'),
        OWN + 'class Modes:\n    TRAIN, EVAL, PREDICT = "eval", "train", "infer"\n',
    ],
)
def test_a_class_whose_attributes_may_change_says_no_mode(own: str) -> None:
    _, found = told(own, "Modes")
    assert "K110" in {f.code for f in found}
