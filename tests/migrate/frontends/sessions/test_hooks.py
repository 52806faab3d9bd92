"""Arguments that the emitted modules raise an error for are refused where they stand."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

SESSION = """import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [1, 1])
loss = tf.reduce_mean(tf.matmul(x, w))
step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(.1).minimize(loss, step)
class Listener(tf.train.CheckpointSaverListener):
    def after_save(self, session, step):
        print(step)
saver = tf.train.CheckpointSaverHook("logs", save_steps=4{listeners})
with tf.train.MonitoredTrainingSession(hooks=[saver]) as sess:
    for i in range(9):
        sess.run(train_op, {{x: [[1.0]]}})
"""
MODEL = """import tensorflow as tf
def model_fn(features, labels, mode):
    w = tf.get_variable("w", [4, 1])
    loss = tf.reduce_mean(tf.matmul(features, w))
    step = tf.train.get_global_step()
    op = tf.contrib.layers.optimize_loss(loss, step, .1, "SGD"{more})
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=op)
estimator = tf.estimator.Estimator(model_fn, "model")
estimator.train(lambda: tf.data.Dataset.from_tensors(tf.ones([2, 4])), steps=3)
"""


def _list_refused(text: str) -> list[tuple[str, int]]:
    found = migrate_text(text).findings
    refused = [f for f in found if f.outcome is Outcome.REFUSED]
    return [(f.code, f.line) for f in refused if f.code != "N100"]


def test_listeners_of_a_session_are_refused_at_their_line() -> None:
    text = SESSION.format(listeners=", listeners=[Listener()]")
    assert _list_refused(text) == [("H122", 10)]


@pytest.mark.parametrize("given", ["", ", listeners=None", ", listeners=[]"])
def test_a_hook_without_listeners_migrates(given: str) -> None:
    assert not _list_refused(SESSION.format(listeners=given))


@pytest.mark.parametrize(
    "more", [", gradient_noise_scale=.1", ", gradient_multipliers={'w': 2.0}"]
)
def test_what_optimize_loss_does_not_do_is_refused(more: str) -> None:
    assert _list_refused(MODEL.format(more=more)) == [("T111", 6)]


@pytest.mark.parametrize(
    "more", ["", ", gradient_noise_scale=None", ", clip_gradients=1.0"]
)
def test_other_arguments_of_optimize_loss_migrate(more: str) -> None:
    assert not _list_refused(MODEL.format(more=more))
