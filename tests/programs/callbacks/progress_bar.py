"""A bar of the training's progress, one for evaluation and one for prediction."""

import contextlib
import io
import sys

import numpy as np
import tensorflow as tf


class ProgressBar(tf.train.SessionRunHook):
  """Draws a bar, whatever the steps are of."""

  def __init__(self, total, title, width=10):
    self.total = total
    self.title = title
    self.width = width

  def begin(self):
    self.count = self.begun = 0

  def before_run(self, run_context):
    self.begun += 1

  def after_run(self, run_context, run_values):
    self.count += 1
    self._draw()

  def end(self, session):
    sys.stdout.write("\n%s: %d of %d, %d begun\n" % (
        self.title, self.count, self.total, self.begun))

  def _draw(self):
    done = self.width * self.count // self.total
    sys.stdout.write("\r%s [%s%s]" % (self.title, "#" * done, "." * (self.width - done)))


class StepBar(tf.train.SessionRunHook):
  """Draws a bar up to a global step, and the loss."""

  def __init__(self, loss, max_steps):
    self._loss = loss
    self._max_steps = max_steps

  def before_run(self, run_context):
    global_step = tf.train.get_global_step()
    return tf.train.SessionRunArgs([global_step, self._loss])

  def after_run(self, run_context, run_values):
    percent = 100.0 * run_values.results[0] / self._max_steps
    sys.stdout.write("\r%5.1f %% loss %.6f" % (percent, run_values.results[1]))


def model_fn(features, labels, mode, params):
  w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
  out = tf.matmul(features, w)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"out": out})
  loss = tf.reduce_mean(tf.square(out - labels))
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        evaluation_hooks=[ProgressBar(params["batches"], "evaluation of the model")])
  train_op = tf.train.AdagradOptimizer(0.5).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=[StepBar(loss, params["steps"])])


def input_fn(batches=None):
  x = np.array([[1, 0], [0, 1], [1, 1], [2, 1]], np.float32)
  y = np.array([[1], [-1], [0], [1]], np.float32)
  dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(2)
  return dataset if batches is None else dataset.take(batches)


def train(estimator, steps, hooks):
  estimator.train(input_fn, hooks=hooks, max_steps=steps)


def main(directory):
  estimator = tf.estimator.Estimator(
      model_fn, directory, params={"steps": 12, "batches": 4})
  train(estimator, 12, [ProgressBar(12, "training")])
  estimator.evaluate(lambda: input_fn(4), hooks=[ProgressBar(8, "evaluation")])
  bar = ProgressBar(3, "prediction", width=3)
  rows = list(estimator.predict(lambda: input_fn(3), hooks=[bar]))
  print(len(rows), bar.count)
  # Of which only the first are taken.
  rows = estimator.predict(lambda: input_fn(3), hooks=[bar])
  print(sorted(next(rows)), bar.count)


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  return {"lines": printed.getvalue().splitlines()}
