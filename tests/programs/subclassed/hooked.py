"""Hooks of every mode: what they watch beside the loss, and what they are made of."""

import numpy as np
import tensorflow as tf

SEEN = {}


class Keeper(tf.train.SessionRunHook):
  """Keeps what some tensors are in each step."""

  def __init__(self, name, tensors):
    self._name, self._tensors = name, tensors

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._tensors)

  def after_run(self, run_context, run_values):
    for key, value in run_values.results.items():
      SEEN.setdefault(self._name + "/" + key, []).append(value)


class Counter(tf.train.SessionRunHook):
  """Counts steps."""

  def __init__(self, name):
    self._name = name
    SEEN[name] = 0

  def after_run(self, run_context, run_values):
    SEEN[self._name] += 1


def model_fn(features, labels, mode, params):
  w = tf.get_variable("w", [3, 2], initializer=tf.zeros_initializer())
  logits = tf.matmul(features["x"], w)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"logits": logits}, prediction_hooks=[Counter("predicted")])
  cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
      labels=labels, logits=logits)
  total_loss = tf.reduce_mean(cross_entropy)
  accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
  if mode == tf.estimator.ModeKeys.EVAL:
    counter = Counter(params["evaluated"])
    return tf.estimator.EstimatorSpec(
        mode, loss=total_loss, eval_metric_ops={"accuracy": accuracy},
        evaluation_hooks=[counter])
  rate = tf.train.exponential_decay(0.5, tf.train.get_global_step(), 2, 0.5)
  right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
  # Watches more than the loss.
  logging_hook = tf.train.LoggingTensorHook(
      {"loss": total_loss, "accuracy": accuracy[1]}, every_n_iter=2)
  keeper = Keeper("train", {
      "loss": total_loss, "right": right, "logits": logits, "rate": rate})
  hooks = [logging_hook, keeper]
  train_op = tf.train.GradientDescentOptimizer(rate).minimize(
      total_loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=total_loss, train_op=train_op, training_hooks=hooks,
      training_chief_hooks=[Counter("chief")])


def input_fn(seed):
  rng = np.random.RandomState(seed)
  x = rng.randn(30, 3).astype(np.float32)
  labels = (x.sum(1) > 0).astype(np.int64)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, labels)).batch(6)


def run(directory):
  SEEN.clear()
  estimator = tf.estimator.Estimator(
      model_fn, directory, params={"evaluated": "evaluated"})
  estimator.train(lambda: input_fn(1))
  results = dict(estimator.evaluate(lambda: input_fn(2)))
  results["logits"] = [p["logits"] for p in estimator.predict(lambda: input_fn(2))]
  results.update(SEEN)
  return results
