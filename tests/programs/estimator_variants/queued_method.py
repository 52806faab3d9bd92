"""A model_fn that is a method, and an input_fn that reads queues, in one file."""

import numpy as np
import tensorflow as tf


class Regression(object):
  """Rates by two layers, of sizes that its object knows."""

  def __init__(self, units, rate):
    self.units, self.rate = units, rate

  def _network(self, features):
    net = tf.layers.dense(
        features, self.units, activation=tf.nn.relu, name="hidden",
        kernel_initializer=tf.constant_initializer([[.1, .2], [.3, -.1], [.2, .5]]))
    return tf.layers.dense(
        net, 1, kernel_initializer=tf.constant_initializer(0.1), name="rating")[:, 0]

  def model_fn(self, features, labels, mode, params, config):
    rating = self._network(features)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions=rating)
    loss = tf.losses.mean_squared_error(labels, rating, weights=params["weight"])
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf.train.MomentumOptimizer(self.rate, 0.9).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  x = np.arange(30, dtype=np.float32).reshape(10, 3) / 30
  row, label = tf.train.slice_input_producer(
      [x, x.sum(1)], num_epochs=2, shuffle=False)
  return tf.train.batch([row, label], batch_size=5, num_threads=1)


def run(directory):
  regression = Regression(2, 0.05)
  estimator = tf.estimator.Estimator(
      regression.model_fn, directory, params={"weight": 0.5})
  estimator.train(input_fn)
  found = estimator.evaluate(input_fn)
  return {
      "loss": found["loss"],
      "step": found["global_step"],
      "rated": list(estimator.predict(lambda: input_fn()[0])),
      "hidden": estimator.get_variable_value("hidden/kernel"),
      "slot": estimator.get_variable_value("hidden/kernel/Momentum"),
  }
