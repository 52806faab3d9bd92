"""Hooks that a callback cannot be, beside one that can: variables, names, the graph."""

import contextlib
import io

import numpy as np
import tensorflow as tf


class Variables(tf.train.SessionRunHook):
  """Prints which variables the graph has, and how large they are."""

  def begin(self):
    self._all = tf.global_variables()
    self._trained = tf.trainable_variables()
    print(sorted(v.name for v in self._all))
    print(sorted(v.name for v in self._trained))

  def after_run(self, run_context, run_values):
    values = run_context.session.run(self._trained)
    print(["%.4f" % np.abs(v).sum() for v in values])


class ByName(tf.train.SessionRunHook):
  """Asks for a tensor by its name."""

  def before_run(self, run_context):
    return tf.train.SessionRunArgs("probabilities:0")

  def after_run(self, run_context, run_values):
    print("probabilities", ["%.3f" % p for p in run_values.results[:, 0]])


class Evaluated(tf.train.SessionRunHook):
  """Stops an evaluation, which no callback does."""

  def __init__(self, batches):
    self._batches = batches

  def begin(self):
    self._left = self._batches
    print(sorted(v.name for v in tf.global_variables()))

  def after_run(self, run_context, run_values):
    self._left -= 1
    if not self._left:
      run_context.request_stop()

  def end(self, session):
    print("evaluated at", session.run(tf.train.get_global_step()))


class Losses(tf.train.SessionRunHook):
  def begin(self):
    self._loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    print("loss %.5f" % run_values.results)


def model_fn(features, labels, mode):
  out = tf.layers.dense(
      features, 1, name="out", kernel_initializer=tf.zeros_initializer())
  predictions = {"p": tf.sigmoid(out, name="probabilities")}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)
  loss = tf.losses.mean_squared_error(labels, out)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, out)},
        evaluation_hooks=[Evaluated(2)])
  train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=[Variables()])


def input_fn():
  x = np.arange(24, dtype=np.float32).reshape(8, 3) / 24
  return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(4)


def main(directory):
  estimator = tf.estimator.Estimator(model_fn, directory)
  estimator.train(input_fn, hooks=[ByName(), Losses()], steps=3)
  estimator.evaluate(input_fn, steps=5)


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  return {"lines": printed.getvalue().splitlines()}
