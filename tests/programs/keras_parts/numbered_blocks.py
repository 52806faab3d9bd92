"""Functions that make layers without names, and are called again and again."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def block(x, units, seed, training):
  """What a network is made of."""
  net = tf.layers.dense(x, units, use_bias=False, kernel_initializer=uniform(seed))
  net = tf.layers.batch_normalization(net, momentum=0.8, training=training)
  return tf.nn.relu(net)


def residual(x, seed, training):
  return x + block(block(x, 6, seed, training), 5, seed + 1, training)


def deep_fn(features, labels, mode, params):
  training = mode == tf.estimator.ModeKeys.TRAIN
  net = block(features["x"], 5, 1, training)
  for index in range(params["blocks"]):
    net = residual(net, 10 + 2 * index, training)
  if params["wide"]:
    net = block(net, 7, 3, training)
  net = tf.layers.dense(net, 4, tf.nn.tanh, kernel_initializer=uniform(4))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(5), name="logits")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        eval_metric_ops={"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))})
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
        loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def coder_fn(features, labels, mode, params):
  """Both halves are made by one function of it."""
  x = features["x"]

  def half(net, sizes, seed):
    for size in sizes:
      net = tf.contrib.layers.fully_connected(
          net, size, activation_fn=tf.nn.tanh, weights_initializer=uniform(seed))
    return net

  code = half(x, params["sizes"], 6)
  decoded = half(code, [4, 3], seed=7)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"x": decoded, "code": code})
  loss = tf.losses.mean_squared_error(x, decoded)
  train_op = tf.train.AdagradOptimizer(0.1).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(9)
  x = rng.randn(48, 3).astype(np.float32)
  y = (x.sum(1) > 0).astype(np.int64) + (x[:, 0] > 1)
  slices = tf.data.Dataset.from_tensor_slices

  results = {}
  for name, estimator in (
      ("deep", tf.estimator.Estimator(
          deep_fn, directory + "/deep", params={"blocks": 2, "wide": True})),
      ("coder", tf.estimator.Estimator(
          coder_fn, directory + "/coder", params={"sizes": [3, 2]})),
  ):
    for part in ("first", "later"):
      estimator.train(lambda: slices(({"x": x}, y)).batch(8), steps=5)
      evaluated = estimator.evaluate(lambda: slices(({"x": x}, y)).batch(12))
      results.update({name + "/" + part + "/" + k: v for k, v in evaluated.items()})
    predicted = list(estimator.predict(lambda: slices({"x": x}).batch(12)))
    for key in predicted[0]:
      results[name + "/predicted/" + key] = [p[key] for p in predicted]
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
