"""Methods of other kinds: static, of the class, and one that makes the model_fn."""

import glob

import numpy as np
import tensorflow as tf


class Static(object):
  """A class that only keeps functions together."""

  UNITS = 5

  @staticmethod
  def dense(net, units, name):
    return tf.layers.dense(net, units, name=name)

  @staticmethod
  def model_fn(features, labels, mode, params):
    net = tf.layers.dense(features["x"], Static.UNITS, tf.nn.tanh, name="first")
    logits = tf.squeeze(tf.layers.dense(net, 1, name="last"), 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"out": tf.sigmoid(logits)})
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
          "auc": tf.metrics.auc(labels, tf.sigmoid(logits))})
    train_op = tf.train.AdagradOptimizer(params["rate"]).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class Shared(object):
  """Whose methods call those of the class."""

  @classmethod
  def _block(cls, net, units, name, training=False):
    with tf.variable_scope(name):
      net = tf.layers.dense(net, units, use_bias=False)
      net = tf.layers.batch_normalization(net, training=training, momentum=0.9)
    return tf.nn.relu(net)

  @classmethod
  def model_fn(cls, features, labels, mode, params):
    training = mode == tf.estimator.ModeKeys.TRAIN
    net = cls._block(features["x"], params["units"], "one", training)
    net = cls._block(net, params["units"], "two", training=training)
    logits = tf.squeeze(tf.layers.dense(net, 1), 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"out": tf.sigmoid(logits)})
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=loss)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
      train_op = tf.train.RMSPropOptimizer(params["rate"]).minimize(
          loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class Builder(object):
  """Makes its model_fn where it is asked for."""

  def __init__(self, size, weight):
    self.size, self.weight = size, weight

  def _scaled(self, loss):
    return loss * self.weight

  def make_model_fn(self, optimizer, rate=0.1):
    """Args: optimizer, a class of tf.train's."""

    def model_fn(features, labels, mode):
      table = tf.get_variable("table", [6, self.size])
      net = tf.reduce_sum(tf.nn.embedding_lookup(table, features["word"]), 1)
      logits = tf.reduce_sum(tf.layers.dense(net, self.size), 1)
      if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"out": tf.sigmoid(logits)})
      loss = self._scaled(tf.losses.sigmoid_cross_entropy(labels, logits))
      if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
      train_op = tf.train.GradientDescentOptimizer(rate).minimize(
          loss, tf.train.get_global_step())
      return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    return model_fn


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
  rng = np.random.RandomState(5)
  x = rng.randn(48, 3).astype(np.float32)
  word = rng.randint(6, size=[48, 2])
  label = (x.sum(1) + word.sum(1) > 5).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices(
      ({"x": x, "word": word}, label)).repeat().batch(8)


def run(directory):
  config = tf.estimator.RunConfig(save_summary_steps=1)
  builder = Builder(4, 0.5)
  made = {
      "static": tf.estimator.Estimator(
          Static.model_fn, directory + "/static", config, {"rate": 0.2}),
      "shared": tf.estimator.Estimator(
          model_fn=Shared.model_fn, model_dir=directory + "/shared", config=config,
          params={"units": 6, "rate": 0.01}),
      "built": tf.estimator.Estimator(
          model_fn=builder.make_model_fn(None, rate=0.3),
          model_dir=directory + "/built", config=config),
  }
  results = {}
  if tf.train.latest_checkpoint(directory + "/static") is None:
    for estimator in made.values():
      estimator.train(input_fn, steps=5)
  for name, estimator in made.items():
    estimator.train(input_fn, max_steps=25)
    results[name + "/losses"] = losses(directory + "/" + name)[-20:]
    for key, value in estimator.evaluate(input_fn, steps=6).items():
      results[name + "/eval/" + key] = value
    results[name + "/out"] = [
        p["out"] for p, _ in zip(estimator.predict(input_fn), range(16))]
    for key in estimator.get_variable_names():
      results[name + "/after/" + key] = estimator.get_variable_value(key)
  return results
