"""Variables of tf.Variable in a model_fn, as the first tutorials wrote them."""

import os

import numpy as np
import tensorflow as tf


def mnist_like_fn(features, labels, mode, params):
  """Scopes of operations name them."""
  with tf.name_scope("hidden1"):
    weights = tf.Variable(
        tf.truncated_normal([6, params["hidden"]], stddev=0.4, seed=1), name="weights")
    biases = tf.Variable(tf.zeros([params["hidden"]]), name="biases")
    hidden = tf.nn.relu(tf.matmul(features["x"], weights) + biases)
  with tf.name_scope("softmax_linear"):
    weights_out = tf.Variable(
        tf.random_normal([params["hidden"], 3], 0.0, 0.5, seed=2), name="weights")
    biases_out = tf.Variable(tf.constant(0.1, shape=[3]), name="biases")
    logits = tf.matmul(hidden, weights_out) + biases_out
  scale = tf.Variable(tf.ones([3]), name="scale", trainable=False)
  logits = logits * scale
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"p": tf.nn.softmax(logits)})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  train_op = tf.train.AdagradOptimizer(0.2).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def regression_fn(features, labels, mode):
  """Under no scope."""
  w = tf.Variable(tf.random_uniform([6, 1], -0.5, 0.5, seed=3), name="w")
  b = tf.Variable(tf.zeros([1]), name="b", dtype=tf.float32)
  predictions = tf.squeeze(tf.matmul(features["x"], w) + b, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": predictions})
  loss = tf.losses.mean_squared_error(tf.cast(labels, tf.float32), predictions)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  rng = np.random.RandomState(9)
  x = rng.uniform(-1, 1, [40, 6]).astype(np.float32)
  kind = (x[:, 0] > 0).astype(np.int64) + (x[:, 1] > 0.3)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, kind)).batch(8)


def run(directory):
  results = {}
  for name, params in (
      ("mnist", {"hidden": 5}), ("regression", None)):
    if name == "mnist":
      estimator = tf.estimator.Estimator(
          mnist_like_fn, os.path.join(directory, name), params=params)
    else:
      estimator = tf.estimator.Estimator(regression_fn, os.path.join(directory, name))
    for step in (2, 5):
      estimator.train(input_fn, max_steps=step)
      for key, value in estimator.evaluate(input_fn).items():
        results["%s/%s_%d" % (name, key, step)] = value
    for variable in estimator.get_variable_names():
      results["%s/%s" % (name, variable)] = estimator.get_variable_value(variable)
    rows = list(estimator.predict(input_fn))
    results["%s/predicted" % name] = np.stack([list(row.values())[0] for row in rows])
  return results
