"""Copies the checkpoint of the best evaluation, and keeps a table of what was evaluated."""

import contextlib
import csv
import glob
import io
import os

import numpy as np
import tensorflow as tf


class BestCheckpointHook(tf.train.SessionRunHook):
  """Copies the newest checkpoint when the loss of a training step is the best."""

  def __init__(self, loss, model_dir):
    self._loss = loss
    self._model_dir = model_dir
    self._best_dir = os.path.join(model_dir, "best")
    self._best_loss = np.inf
    self._copied = None

  def begin(self):
    tf.gfile.MakeDirs(self._best_dir)
    print("keeps checkpoints in", os.path.basename(self._best_dir))

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(fetches=[self._loss, tf.train.get_global_step()])

  def after_run(self, run_context, run_values):
    loss, step = run_values.results
    path = tf.train.latest_checkpoint(self._model_dir)
    if path is None or loss >= self._best_loss:
      return
    self._best_loss = loss
    if path == self._copied:
      return
    for name in sorted(tf.gfile.Glob(path + ".*")):
      tf.gfile.Copy(name, os.path.join(self._best_dir, os.path.basename(name)), True)
    self._copied = path
    print("step %d: loss %.5f, copied %s" % (step, loss, os.path.basename(path)))


class EvaluationTable(tf.train.SessionRunHook):
  """Writes how many batches each evaluation had, and of which step."""

  def __init__(self, path):
    self._path = path

  def begin(self):
    self._batches = 0
    self._step = tf.train.get_global_step()

  def after_run(self, run_context, run_values):
    self._batches += 1

  def end(self, session):
    with open(self._path, "a") as table:
      csv.writer(table).writerow([session.run(self._step), self._batches])


def model_fn(features, labels, mode, config):
  out = tf.contrib.layers.fully_connected(
      features["x"], 1, activation_fn=None,
      weights_initializer=tf.zeros_initializer())
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=out)
  loss = tf.losses.mean_squared_error(labels, out)
  if mode == tf.estimator.ModeKeys.EVAL:
    table = os.path.join(config.model_dir, "evaluations.csv")
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, evaluation_hooks=[EvaluationTable(table)])
  train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      training_chief_hooks=[BestCheckpointHook(loss, config.model_dir)])


def input_fn():
  rng = np.random.RandomState(2)
  x = rng.randn(30, 2).astype(np.float32)
  y = (x[:, :1] + 0.5 * x[:, 1:2]).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(5)


def main(directory):
  config = tf.estimator.RunConfig(
      model_dir=directory, save_checkpoints_steps=4, keep_checkpoint_max=2)
  estimator = tf.estimator.Estimator(model_fn, config=config)
  tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(input_fn, max_steps=22),
      tf.estimator.EvalSpec(input_fn, steps=3, start_delay_secs=0, throttle_secs=0))
  for path in sorted(glob.glob(os.path.join(directory, "best", "*.index"))):
    print(os.path.basename(path))
  with open(os.path.join(directory, "evaluations.csv")) as table:
    print(table.read().split())


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  return {"lines": printed.getvalue().splitlines()}
