"""Stops after some time, by a file, or at a step that is asked for before it is made."""

import contextlib
import io
import os
import time

import numpy as np
import tensorflow as tf


class StopAtTime(tf.train.SessionRunHook):
  """Stops when a budget of time is used up."""

  def __init__(self, seconds):
    self._seconds = seconds

  def begin(self):
    self._started = time.time()

  def after_run(self, run_context, run_values):
    if time.time() - self._started > self._seconds:
      print("time is up")
      run_context.request_stop()


class StopByFile(tf.train.SessionRunHook):
  """Stops when somebody makes a file."""

  def __init__(self, path, made_after):
    self._path = path
    self._made_after = made_after
    self._calls = 0

  def before_run(self, run_context):
    self._calls += 1
    if self._calls == self._made_after:
      with tf.gfile.Open(self._path, "w") as stop:
        stop.write("now")
    if tf.gfile.Exists(self._path):
      # The step that begins is still made.
      run_context.request_stop()
      print("stops before call %d is done" % self._calls)

  def after_run(self, run_context, run_values):
    del run_context, run_values  # Unused.
    print("call %d is done" % self._calls)

  def end(self, session):
    del session
    tf.gfile.Remove(self._path)


def model_fn(features, labels, mode):
  out = tf.layers.dense(features, 1, name="out")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=out)
  loss = tf.losses.absolute_difference(labels, out)
  train_op = tf.train.RMSPropOptimizer(0.01).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  x = np.eye(4, dtype=np.float32)
  return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(2)


def main(directory):
  estimator = tf.estimator.Estimator(model_fn, directory)
  estimator.train(input_fn, hooks=[StopAtTime(0.0)], steps=9)
  print("step", estimator.get_variable_value("global_step"))
  hook = StopByFile(os.path.join(directory, "stop"), made_after=3)
  estimator.train(input_fn, hooks=[hook, StopAtTime(1000.0)], steps=9)
  print("step", estimator.get_variable_value("global_step"))
  print(tf.gfile.Exists(os.path.join(directory, "stop")))


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  return {"lines": printed.getvalue().splitlines()}
