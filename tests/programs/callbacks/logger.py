"""Loss and speed every few steps, as image tutorials log them, and a summary at the end."""

import contextlib
import io
import re
import time
from datetime import datetime

import numpy as np
import tensorflow as tf

BATCH_SIZE = 16
LOG_FREQUENCY = 5


class _LoggerHook(tf.train.SessionRunHook):
  """Logs loss and runtime."""

  def __init__(self, loss):
    self._loss = loss

  def begin(self):
    self._step = -1
    self._start_time = time.time()

  def before_run(self, run_context):
    self._step += 1
    return tf.train.SessionRunArgs(self._loss)  # Asks for loss value.

  def after_run(self, run_context, run_values):
    if self._step % LOG_FREQUENCY == 0:
      current_time = time.time()
      duration = current_time - self._start_time
      self._start_time = current_time

      loss_value = run_values.results
      examples_per_sec = LOG_FREQUENCY * BATCH_SIZE / duration
      sec_per_batch = float(duration / LOG_FREQUENCY)

      format_str = ('%s: step %d, loss = %.4f (%.1f examples/sec; %.3f '
                    'sec/batch)')
      print(format_str % (datetime.now(), self._step, loss_value,
                          examples_per_sec, sec_per_batch))


class BenchmarkHook(tf.train.SessionRunHook):
  """Times of steps, without the first ones."""

  def __init__(self, global_batch_size, warmup_steps=5):
    self.warmup_steps = warmup_steps
    self.global_batch_size = global_batch_size
    self.iter_times = []

  def before_run(self, run_context):
    self.t0 = time.time()

  def after_run(self, run_context, run_values):
    batch_time = time.time() - self.t0
    self.iter_times.append(batch_time)

  def get_average_speed(self):
    avg_time = np.mean(self.iter_times[self.warmup_steps:])
    speed = self.global_batch_size / avg_time
    return speed


def model_fn(features, labels, mode):
  net = tf.layers.dense(
      features["x"], 8, activation=tf.nn.relu,
      kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
  logits = tf.layers.dense(
      net, 3, kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  total_loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=total_loss)
  optimizer = tf.train.GradientDescentOptimizer(0.5)
  train_op = optimizer.minimize(total_loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=total_loss, train_op=train_op,
      training_hooks=[_LoggerHook(total_loss)])


def input_fn():
  rng = np.random.RandomState(0)
  x = rng.rand(96, 4).astype(np.float32)
  y = np.argmax(x[:, :3], 1).astype(np.int32)
  dataset = tf.data.Dataset.from_tensor_slices(({"x": x}, y))
  return dataset.repeat().batch(BATCH_SIZE)


def main(directory):
  benchmark = BenchmarkHook(BATCH_SIZE)
  estimator = tf.estimator.Estimator(model_fn, model_dir=directory)
  estimator.train(input_fn, hooks=[benchmark], steps=21)
  print("steps timed: %d" % len(benchmark.iter_times[benchmark.warmup_steps:]))
  print("speed is a number: %s" % (benchmark.get_average_speed() > 0))
  estimator.train(input_fn, hooks=[benchmark], max_steps=23)
  print("steps timed: %d" % len(benchmark.iter_times))


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  clock = re.compile(r"^[-\d]+ [:.\d]+|\d+\.\d+ (?=examples|sec)")
  return {"lines": [clock.sub("<time>", line) for line in printed.getvalue().splitlines()]}
