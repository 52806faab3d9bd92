"""Hooks and listeners as public code has them: derived from TF1's own, and by name, file and collection."""

import glob
import json
import os
import shutil

import numpy as np
import tensorflow as tf
from tensorflow.python.training import session_run_hook
log = []


class MetricFileStopper(session_run_hook.SessionRunHook):
  """Stops when a file of metrics says so."""
  def __init__(self, path, limit):
    self.path, self.limit = path, limit
    self.n = 0
  def after_run(self, run_context, run_values):
    self.n += 1
    if tf.gfile.Exists(self.path):
      with tf.gfile.GFile(self.path) as f:
        best = json.load(f)["loss"]
      if best < self.limit:
        run_context.request_stop()
    elif self.n == 5:
      with tf.gfile.GFile(self.path, "w") as f:
        json.dump({"loss": 0.0}, f)


class CopyListener(tf.train.CheckpointSaverListener):
  def __init__(self, source, target):
    self.source, self.target = source, target
  def begin(self):
    tf.gfile.MakeDirs(self.target)
  def before_save(self, session, global_step_value):
    log.append(global_step_value)
  def after_save(self, session, global_step_value):
    path = tf.train.latest_checkpoint(self.source)
    for f in glob.glob(path + "*"):
      shutil.copy(f, self.target)
  def end(self, session, global_step_value):
    log.append(-global_step_value)


class RatePrinter(tf.train.LoggingTensorHook):
  def __init__(self, rate):
    super(RatePrinter, self).__init__({"rate": rate}, every_n_iter=2)
  def after_run(self, run_context, run_values):
    super(RatePrinter, self).after_run(run_context, run_values)
    log.append(100)

  def _log_tensors(self, tensor_values):
    log.append(tensor_values["rate"])
    super(RatePrinter, self)._log_tensors(tensor_values)


class NanGuard(tf.train.NanTensorHook):
  def after_run(self, run_context, run_values):
    if np.isnan(run_values.results):
      log.append(7)
    super(NanGuard, self).after_run(run_context, run_values)


class Examples(tf.train.StepCounterHook):
  """Examples per second, as public code counts them."""

  def __init__(self, batch_size, every_n_steps):
    super(Examples, self).__init__(every_n_steps=every_n_steps)
    self._batch_size = batch_size

  def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
    log.append(elapsed_steps * self._batch_size)
    log.append(global_step)
    super(Examples, self)._log_and_record(elapsed_steps, elapsed_time, global_step)


class StopLate(tf.train.StopAtStepHook):
  """Says where it will stop; called the old way."""

  def __init__(self, steps):
    tf.train.StopAtStepHook.__init__(self, num_steps=steps)

  def after_create_session(self, session, coord):
    tf.train.StopAtStepHook.after_create_session(self, session, coord)
    log.append(self._last_step)


class RateByName(tf.train.SessionRunHook):
  def begin(self):
    self.rate = tf.get_default_graph().get_tensor_by_name("my_rate:0")
  def before_run(self, run_context):
    return tf.train.SessionRunArgs({"rate": self.rate, "loss": "my_loss:0"})
  def after_run(self, run_context, run_values):
    log.append(run_values.results["rate"])
    log.append(run_values.results["loss"])


class ByCollection(tf.train.SessionRunHook):
  def begin(self):
    self.norm = tf.get_collection("norms")[0]
  def before_run(self, run_context):
    return tf.train.SessionRunArgs([self.norm, tf.train.get_global_step()])
  def after_run(self, run_context, run_values):
    norm, step = run_values.results
    log.append(norm)
    log.append(step)


def model_fn(features, labels, mode):
  w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
  y = tf.matmul(features, w)
  loss = tf.identity(tf.losses.mean_squared_error(labels, y), "my_loss")
  rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 3, 0.5)
  rate = tf.identity(rate, "my_rate")
  tf.add_to_collection("norms", tf.global_norm(tf.trainable_variables()))
  train_op = tf.train.GradientDescentOptimizer(rate).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      training_hooks=[RatePrinter(rate), NanGuard(loss)])


def input_fn():
  x = np.arange(40).reshape(20, 2).astype(np.float32) / 40
  return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(4)


def run(directory):
  config = tf.estimator.RunConfig(save_checkpoints_steps=4)
  tf.estimator.Estimator(model_fn, directory, config).train(
      input_fn, hooks=[
          MetricFileStopper(directory + "/metrics.json", 0.1), RateByName(), ByCollection(),
          Examples(4, 2)], steps=14, saving_listeners=[CopyListener(directory, directory + "/copy")])
  # TF1 wrote a .meta file beside a checkpoint too.
  copied = sorted(n for n in os.listdir(directory + "/copy") if not n.endswith(".meta"))
  estimator = tf.estimator.Estimator(model_fn, directory)
  estimator.train(input_fn, hooks=[StopLate(3)])
  return {
      "log": log,
      "copied": copied,
      "step": estimator.get_variable_value("global_step"),
  }
