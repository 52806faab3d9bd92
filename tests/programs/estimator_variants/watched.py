"""Hooks that read tensors, count, stop, and listen to checkpoints."""

import time

import numpy as np
import tensorflow as tf


class EarlyStopping(tf.train.SessionRunHook):
  """Stops when the loss has not fallen for some steps."""

  def __init__(self, loss, patience):
    self._loss = loss
    self._patience = patience
    self._best, self._waited = np.inf, 0
    self.seen = []

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(
        fetches={"loss": self._loss, "step": tf.train.get_global_step()})

  def after_run(self, run_context, run_values):
    loss = run_values.results["loss"]
    self.seen.append(loss)
    if loss < self._best:
      self._best, self._waited = loss, 0
    else:
      self._waited += 1
    if self._waited >= self._patience:
      run_context.request_stop()


class Timer(tf.train.SessionRunHook):
  """Steps per second, in a log."""

  def begin(self):
    self._steps = 0

  def after_create_session(self, session, coord):
    self._start = time.time()

  def after_run(self, run_context, run_values):
    self._steps += 1

  def end(self, session):
    tf.logging.info("%d steps in %.1f s", self._steps, time.time() - self._start)
    Timer.total = self._steps


class Saved(tf.train.CheckpointSaverListener):

  def __init__(self):
    self.steps = []

  def after_save(self, session, global_step_value):
    self.steps.append(global_step_value)


stops = []


def model_fn(features, labels, mode):
  bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
  scale = tf.get_variable("scale", [], initializer=tf.ones_initializer())
  predicted = scale * features + bias
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predicted)
  loss = tf.reduce_mean(tf.abs(predicted - labels), name="distance")
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  train_op = tf.train.GradientDescentOptimizer(0.3).minimize(
      loss, global_step=tf.train.get_global_step())
  stops.append(EarlyStopping(loss, 4))
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=[stops[-1]],
      training_chief_hooks=[tf.train.LoggingTensorHook({"d": "distance:0"}, 5)])


def input_fn():
  x = np.linspace(-1, 1, 30).astype(np.float32)
  dataset = tf.data.Dataset.from_tensor_slices((x, 2 * x + 1))
  return dataset.repeat().batch(5)


def run(directory):
  listener = Saved()
  estimator = tf.estimator.Estimator(
      model_fn, directory,
      tf.estimator.RunConfig(save_checkpoints_steps=7, keep_checkpoint_max=2))
  estimator.train(
      input_fn, hooks=[Timer(), tf.train.NanTensorHook("distance:0")],
      max_steps=200, saving_listeners=[listener])
  return {
      "seen": stops[-1].seen,
      "saved": listener.steps,
      "counted": Timer.total,
      "loss": estimator.evaluate(input_fn, steps=6)["loss"],
      "checkpoints": len(tf.train.get_checkpoint_state(
          directory).all_model_checkpoint_paths),
  }
