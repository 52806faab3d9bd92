"""A generator that goes on where it stopped: what is read ahead is missing later."""

import numpy as np
import tensorflow as tf


class Rows(object):
  def __init__(self, count):
    self.count, self.read = count, 0

  def __iter__(self):
    while True:
      self.read += 1
      x = np.float32(self.read % self.count) / self.count
      yield [x], [2 * x]


rows = Rows(13)


def model_fn(features, labels, mode):
  w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
  y = tf.matmul(features, w)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=y)
  loss = tf.losses.mean_squared_error(labels, y)
  train_op = tf.train.GradientDescentOptimizer(0.2).minimize(
    loss, tf.train.get_global_step()
  )
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  data = tf.data.Dataset.from_generator(
    lambda: iter(rows), (tf.float32, tf.float32), ([1], [1])
  )
  return data.batch(4)


def run(directory):
  r = {}
  est = tf.estimator.Estimator(model_fn, directory)
  for turn in range(3):
    est.train(input_fn, steps=4)
    r["w%d" % turn] = est.get_variable_value("w")
    r["loss%d" % turn] = est.evaluate(input_fn, steps=2)["loss"]
  return r
