"""An input_fn that draws: numbers for its arrays, for its batches, and after them."""

import random

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
  y = tf.layers.dense(features, 1, kernel_initializer=tf.ones_initializer(), name="d")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=y)
  loss = tf.losses.mean_squared_error(tf.reshape(labels, [-1, 1]), y)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
    loss, tf.train.get_global_step()
  )
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  x = np.arange(12, dtype=np.float32).reshape(6, 2) / 10
  order = np.random.permutation(6)
  shift = random.random()
  data = tf.data.Dataset.from_tensor_slices((x[order], x[order].sum(1)))
  features, labels = data.batch(2).make_one_shot_iterator().get_next()
  noise = np.random.normal(size=2).astype(np.float32)
  return features + noise, labels + shift


def run(directory):
  np.random.seed(7)
  random.seed(3)
  r = {}
  est = tf.estimator.Estimator(model_fn, directory)
  for turn in range(2):
    est.train(input_fn)
    r["kernel%d" % turn] = est.get_variable_value("d/kernel")
    r["drawn%d" % turn] = [np.random.rand(), random.random()]
  r["loss"] = est.evaluate(input_fn)["loss"]
  r["p"] = list(est.predict(input_fn))
  r["drawn"] = [np.random.rand(), random.random()]
  return r
