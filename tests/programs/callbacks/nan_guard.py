"""Stops at a loss that is no number; and a training that a hook ends by an error."""

import contextlib
import io

import numpy as np
import tensorflow as tf


class NanGuard(tf.train.SessionRunHook):
  """Stops as soon as the loss is not a number, or too large."""

  def __init__(self, loss, limit=1e6):
    self.loss = loss
    self.limit = limit
    self.bad = []

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self.loss)

  def after_run(self, run_context, run_values):
    value = run_values.results
    if np.isnan(value) or value > self.limit:
      self.bad.append(value)
      print("loss is bad: %s" % (value > self.limit))
      run_context.request_stop()

  def end(self, session):
    print("guard ends with", len(self.bad))


class Diverged(Exception):
  pass


class RaiseAt(tf.train.SessionRunHook):
  """Fails at a step."""

  def __init__(self, step):
    self._at = step

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(tf.train.get_global_step())

  def after_run(self, run_context, run_values):
    print("after step", run_values.results)
    if run_values.results >= self._at:
      raise Diverged("at %d" % run_values.results)

  def end(self, session):
    print("never said")


class Around(tf.train.SessionRunHook):
  """Says when it is called."""

  def after_create_session(self, session, coord):
    print("session")

  def before_run(self, run_context):
    print("before")

  def after_run(self, run_context, run_values):
    print("after")

  def end(self, session):
    print("end")


def model_fn(features, labels, mode, params):
  out = tf.layers.dense(features, 1, use_bias=False)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=out)
  loss = tf.losses.mean_squared_error(labels, out)
  train_op = tf.train.GradientDescentOptimizer(params["rate"]).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=[NanGuard(loss)])


def input_fn():
  x = np.arange(1, 9, dtype=np.float32)[:, np.newaxis]
  return tf.data.Dataset.from_tensor_slices((x, 2 * x)).repeat().batch(2)


def main(directory):
  estimator = tf.estimator.Estimator(model_fn, directory + "/wild", params={"rate": 3.0})
  estimator.train(input_fn, hooks=[Around()], steps=50)
  calm = tf.estimator.Estimator(model_fn, directory + "/calm", params={"rate": 0.01})
  try:
    calm.train(input_fn, hooks=[RaiseAt(3), Around()], steps=50)
  except Diverged as error:
    print("diverged", error)
  # The input ends.
  calm.train(lambda: input_fn().take(3), hooks=[Around()])


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  return {"lines": printed.getvalue().splitlines()}
