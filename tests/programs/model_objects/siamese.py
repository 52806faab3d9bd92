"""A trainer whose model_fn makes a network with layers that are called on two inputs."""

import glob

import numpy as np
import tensorflow as tf


class Encoder:
  """Layers for both sides."""

  def __init__(self, units, code_size, l2):
    penalty = tf.contrib.layers.l2_regularizer(l2)
    self.hidden = tf.layers.Dense(
        units, activation=tf.nn.tanh, kernel_regularizer=penalty, name="hidden")
    self.code = tf.layers.Dense(code_size, kernel_regularizer=penalty)

  def _scaled(self, code):
    return tf.nn.l2_normalize(code, axis=1)

  def encode(self, x):
    return self._scaled(self.code(self.hidden(x)))


class Matcher:
  """Learns which of two rows belong together."""

  UNITS = 6

  def __init__(self, model_dir, code_size=3, l2=1e-3):
    self._model_dir = model_dir
    self._code_size, self.l2 = code_size, l2
    self.config = tf.estimator.RunConfig(
        save_summary_steps=1, save_checkpoints_steps=10)

  def _similarity(self, features):
    with tf.variable_scope("encoder"):
      encoder = Encoder(self.UNITS, self._code_size, self.l2)
      left = encoder.encode(features["left"])
      right = encoder.encode(features["right"])
    return tf.reduce_sum(left * right, 1)

  def _matching_fn(self, features, labels, mode, config):
    """One number for each pair."""
    similarity = self._similarity(features)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"similarity": similarity})
    loss = tf.losses.mean_squared_error(labels, similarity)
    total = tf.losses.get_total_loss()
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=total, eval_metric_ops={
          "error": tf.metrics.mean_absolute_error(labels, similarity)})
    hook = tf.train.LoggingTensorHook({"total": total}, every_n_iter=10)
    train_op = tf.train.AdagradOptimizer(0.2).minimize(
        total, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(
        mode, loss=total, train_op=train_op, training_hooks=[hook])

  @property
  def estimator(self):
    return tf.estimator.Estimator(
        self._matching_fn, model_dir=self._model_dir, config=self.config)

  def train_and_evaluate(self, input_fn, max_steps):
    train_spec = tf.estimator.TrainSpec(input_fn, max_steps=max_steps)
    eval_spec = tf.estimator.EvalSpec(
        lambda: input_fn().take(3), steps=3, throttle_secs=0)
    metrics, _ = tf.estimator.train_and_evaluate(
        self.estimator, train_spec, eval_spec)
    return metrics


def losses(directory):
  """The loss of each step, from the summaries."""
  found = {}
  for path in glob.glob(directory + "/events*"):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.tag == "loss":
          found[event.step] = value.simple_value
  return [found[step] for step in sorted(found)]


def input_fn():
  rng = np.random.RandomState(9)
  left = rng.randn(60, 4).astype(np.float32)
  right = (left + rng.randn(60, 4)).astype(np.float32)
  label = np.sign(left.sum(1) * right.sum(1)).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices(
      ({"left": left, "right": right}, label)).repeat().batch(10)


def run(directory):
  model_dir = directory + "/matcher"
  matcher = Matcher(model_dir, code_size=4)
  if tf.train.latest_checkpoint(model_dir) is None:
    matcher.estimator.train(input_fn, steps=5)
  results = {
      "trained/" + k: v for k, v in matcher.train_and_evaluate(input_fn, 25).items()}
  results["losses"] = losses(model_dir)[-20:]
  estimator = matcher.estimator
  results["similarity"] = [
      p["similarity"] for p, _ in zip(estimator.predict(input_fn), range(30))]
  for key in estimator.get_variable_names():
    results["after/" + key] = estimator.get_variable_value(key)
  return results
