"""Losses that two devices add up, and the guide's first model, which they do not."""

import numpy as np
import tensorflow as tf


def first_model_fn(features, labels, mode):
  # One line for all modes: W and b in float64.
  W = tf.get_variable("W", [1], dtype=tf.float64, initializer=tf.ones_initializer())
  b = tf.get_variable("b", [1], dtype=tf.float64, initializer=tf.zeros_initializer())
  y = W * features["x"] + b
  # A sum of which TensorFlow knows nothing.
  loss = tf.reduce_sum(tf.square(y - labels))
  global_step = tf.train.get_global_step()
  optimizer = tf.train.GradientDescentOptimizer(0.001)
  train = tf.group(optimizer.minimize(loss), tf.assign_add(global_step, 1))
  return tf.estimator.EstimatorSpec(mode=mode, predictions=y, loss=loss, train_op=train)


def summed_model_fn(features, labels, mode):
  w = tf.get_variable(
      "w", [1, 1], initializer=tf.random_uniform_initializer(-1, 1, seed=3))
  y = tf.matmul(tf.cast(features["x"], tf.float32)[:, tf.newaxis], w)
  y = tf.layers.batch_normalization(
      y, training=mode == tf.estimator.ModeKeys.TRAIN, momentum=0.9, fused=False)
  loss = tf.losses.mean_squared_error(
      tf.cast(labels, tf.float32)[:, tf.newaxis], y,
      reduction=tf.losses.Reduction.SUM)
  minimize_op = tf.train.MomentumOptimizer(0.002, 0.9).minimize(
      loss, tf.train.get_global_step())
  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  train_op = tf.group(minimize_op, update_ops)
  return tf.estimator.EstimatorSpec(mode, predictions=y, loss=loss, train_op=train_op)


def input_fn():
  rng = np.random.RandomState(5)
  x = rng.randn(48)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, 2 * x + 1)).repeat(3).batch(6)


def found(estimator):
  # Before the input ends: TF1 would count a step more, which then finds no batch.
  estimator.train(input_fn, steps=10)
  results = dict(estimator.evaluate(input_fn, steps=4))
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  return results


def configs():
  yield "mirrored", tf.estimator.RunConfig(
      train_distribute=tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
      session_config=tf.ConfigProto(device_count={"CPU": 2}))
  yield "alone", None


def run(directory):
  results = {}
  for kind, config in configs():
    place = directory + "/" + kind
    first = tf.estimator.Estimator(first_model_fn, place + "/first", config=config)
    summed = tf.estimator.Estimator(summed_model_fn, place + "/summed", config=config)
    for name, estimator in (("first", first), ("summed", summed)):
      for key, value in found(estimator).items():
        results[kind + "/" + name + "/" + key] = value
  return results
