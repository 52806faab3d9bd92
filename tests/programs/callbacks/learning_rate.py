"""Prints the learning rate and what else a step computes, now and then."""

import contextlib
import io

import numpy as np
import tensorflow as tf


class LearningRateHook(tf.train.SessionRunHook):
  """Prints tensors every so many steps, and asks for them only then."""

  def __init__(self, tensors, every_n_iter):
    self._tensors = tensors
    self._timer = tf.train.SecondOrStepTimer(every_steps=every_n_iter)
    self._should_trigger = False

  def begin(self):
    self._timer.reset()
    self._iter_count = 0

  def before_run(self, run_context):
    self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
    if self._should_trigger:
      return tf.train.SessionRunArgs(self._tensors)
    else:
      return None

  def after_run(self, run_context, run_values):
    _ = run_context
    if self._should_trigger:
      self._timer.update_last_triggered_step(self._iter_count)
      for name in sorted(run_values.results):
        print("%d: %s = %.5f" % (self._iter_count, name, run_values.results[name]))
    self._iter_count += 1


class TrainingHistory(tf.train.SessionRunHook):
  """Keeps the loss and the rate of each step, and tells their first and last."""

  def __init__(self, loss, learning_rate):
    self._loss, self._rate = loss, learning_rate
    self.history = []

  def before_run(self, run_context):
    requests = {"loss": self._loss, "rate": self._rate}
    return tf.train.SessionRunArgs(requests)

  def after_run(self, run_context, run_values):
    # One row a step.
    row = (run_values.results["loss"], run_values.results["rate"])
    self.history.append(row)

  def end(self, session):
    first, last = self.history[0], self.history[-1]
    print("loss %.4f at %.5f, then %.4f at %.5f" % (first + last))


def model_fn(features, labels, mode, params):
  net = tf.layers.dense(
      features["x"], 5, activation=tf.nn.sigmoid,
      kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=6))
  logits = tf.layers.dense(
      net, 2, kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=7))
  classes = tf.argmax(logits, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"classes": classes})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={"accuracy": tf.metrics.accuracy(labels, classes)})
  global_step = tf.train.get_global_step()
  learning_rate = tf.train.exponential_decay(params["rate"], global_step, 5, 0.5)
  right = tf.reduce_mean(tf.to_float(tf.equal(classes, labels)))
  train_op = tf.train.GradientDescentOptimizer(learning_rate).minimize(
      loss, global_step=global_step)
  printed = {"learning_rate": learning_rate, "right": right}
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      training_hooks=[
          LearningRateHook(printed, every_n_iter=4),
          TrainingHistory(loss, learning_rate),
          # Beside one of TensorFlow's.
          tf.train.LoggingTensorHook({"rate": learning_rate}, every_n_iter=100),
      ])


def input_fn():
  rng = np.random.RandomState(3)
  x = rng.randn(50, 3).astype(np.float32)
  y = (x[:, 0] > x[:, 1]).astype(np.int64)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(10)


def main(directory):
  estimator = tf.estimator.Estimator(model_fn, directory, params={"rate": 0.8})
  estimator.train(input_fn, steps=14)
  estimator.train(input_fn, steps=3)


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  return {"lines": printed.getvalue().splitlines()}
