"""Stops where the loss does not fall any more, in train_and_evaluate."""

import contextlib
import io

import numpy as np
import tensorflow as tf


class EarlyStoppingHook(tf.train.SessionRunHook):
  """Stops when the mean loss of some steps has not been less for a while."""

  def __init__(self, loss, every_n_steps=5, patience=2, min_delta=1e-3):
    super(EarlyStoppingHook, self).__init__()
    self._loss = loss
    self._every_n_steps = every_n_steps
    self._patience = patience
    self._min_delta = min_delta

  def begin(self):
    self._best = float("inf")
    self._wait = 0
    self._window = []

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(
        {"loss": self._loss, "step": tf.train.get_global_step()})

  def after_run(self, run_context, run_values):
    results = run_values.results
    self._window.append(results["loss"])
    if results["step"] % self._every_n_steps:
      return
    current = np.mean(self._window)
    del self._window[:]
    print("step %d: mean loss %.5f" % (results["step"], current))
    if current < self._best - self._min_delta:
      self._best, self._wait = current, 0
    else:
      self._wait += 1
      if self._wait >= self._patience:
        print("no improvement for", self._wait)
        run_context.request_stop()

  def end(self, session):
    print("best %.5f, stopped at %d" % (
        self._best, session.run(tf.train.get_global_step())))


class Steps(tf.train.SessionRunHook):
  """Counts, after it has been asked to stop too."""

  def __init__(self):
    self.before = self.after = 0

  def before_run(self, run_context):
    self.before += 1

  def after_run(self, run_context, run_values):
    self.after += 1

  def end(self, session):
    print("counted", self.before, self.after)


def model_fn(features, labels, mode, params):
  net = tf.layers.dense(
      features, 6, activation=tf.nn.relu,
      kernel_initializer=tf.constant_initializer(np.linspace(-1, 1, 18)))
  out = tf.layers.dense(
      net, 1, kernel_initializer=tf.constant_initializer(np.linspace(1, -1, 6)))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=out)
  loss = tf.losses.mean_squared_error(labels, out)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, out)})
  train_op = tf.train.GradientDescentOptimizer(params["rate"]).minimize(
      loss, global_step=tf.train.get_global_step())
  stopping = EarlyStoppingHook(loss, patience=params["patience"])
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=[stopping])


def input_fn():
  rng = np.random.RandomState(1)
  x = rng.rand(64, 3).astype(np.float32)
  y = (x[:, :1] - 2 * x[:, 1:2]).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16)


def main(directory):
  estimator = tf.estimator.Estimator(
      model_fn=model_fn, model_dir=directory, params={"rate": 0.2, "patience": 2},
      config=tf.estimator.RunConfig(save_checkpoints_steps=20))
  train_spec = tf.estimator.TrainSpec(input_fn, max_steps=200, hooks=[Steps()])
  eval_spec = tf.estimator.EvalSpec(
      lambda: input_fn().take(4), steps=None, start_delay_secs=0, throttle_secs=0)
  found = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
  if found:  # Where one process does all.
    print("evaluated %d: %.5f %.5f" % (
        found[0]["global_step"], found[0]["loss"], found[0]["mae"]))


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  return {"lines": printed.getvalue().splitlines()}
