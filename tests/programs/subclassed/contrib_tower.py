"""contrib's layers: names and defaults of their own, averages that move by themselves."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def model_fn(features, labels, mode, params):
  is_training = mode == tf.estimator.ModeKeys.TRAIN
  net = features["x"]
  for i, units in enumerate(params["hidden"]):
    net = layers.fully_connected(
        net, units, weights_initializer=uniform(i),
        weights_regularizer=layers.l2_regularizer(0.05), scope="mlp%d" % i)
    net = layers.batch_norm(
        net, decay=0.9, scale=True, is_training=is_training, scope="bn_%d" % i,
        updates_collections=None)
    net = layers.dropout(net, keep_prob=params["keep"], is_training=is_training, seed=i)
  net = layers.fully_connected(
      net, 4, activation_fn=None, biases_initializer=None, weights_initializer=uniform(7))
  net = tf.reshape(net, [-1, 2, 2, 1])
  net = layers.conv2d(net, 3, [2, 2], weights_initializer=uniform(9), scope="conv")
  net = layers.batch_norm(net, is_training=is_training)
  net = layers.flatten(layers.max_pool2d(net, 2))
  out = layers.fully_connected(
      net, 1, activation_fn=tf.identity, weights_initializer=uniform(8), scope="out")
  predictions = {"y": out}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)
  loss = tf.losses.mean_squared_error(labels, out)
  loss += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
  if mode == tf.estimator.ModeKeys.EVAL:
    metrics = {
        "mae": tf.metrics.mean_absolute_error(labels, out, weights=features["weight"])}
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
        loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(seed, epochs):
  rng = np.random.RandomState(seed)
  x = rng.randn(60, 3).astype(np.float32)
  features = {"x": x, "weight": rng.rand(60, 1).astype(np.float32)}
  y = np.tanh(x.sum(1, keepdims=True)).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices((features, y)).repeat(epochs).batch(12)


def run(directory):
  params = {"hidden": [6, 5], "keep": 0.75}
  estimator = tf.estimator.Estimator(model_fn, directory, params=params)
  estimator.train(lambda: input_fn(1, 4))
  results = dict(estimator.evaluate(lambda: input_fn(2, 1)))
  results["y"] = [p["y"] for p in estimator.predict(lambda: input_fn(2, 1))]
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  return results
