"""Everything by position: model_fn with config, EstimatorSpec, RunConfig; features a tensor."""

import functools

import numpy as np
import tensorflow as tf


def network(x, units, training):
  for i, width in enumerate(units):
    x = tf.layers.dense(
        x, width, tf.nn.relu, name="layer%d" % i,
        kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=i))
    x = tf.layers.batch_normalization(x, training=training, name="norm%d" % i)
  return tf.squeeze(x, axis=1)


def model_fn(units, features, labels, mode, params, config):
  assert config.model_dir
  training = mode == tf.estimator.ModeKeys.TRAIN
  value = network(features, units, training)
  loss = tf.losses.huber_loss(labels["y"], value) if labels is not None else None
  train_op = None
  if training:
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
      rate = tf.train.piecewise_constant(
          tf.train.get_global_step(), [10, 20], [0.1, 0.05, params["last_rate"]])
      train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(
          loss, tf.train.get_global_step())
  metrics = {"rmse": tf.metrics.root_mean_squared_error(labels["y"], value)} if (
      mode == tf.estimator.ModeKeys.EVAL) else None
  return tf.estimator.EstimatorSpec(mode, value, loss, train_op, metrics)


def run(directory):
  rng = np.random.RandomState(8)
  x = rng.randn(50, 4).astype(np.float32)
  y = (x[:, 0] * x[:, 1]).astype(np.float32)
  estimator = tf.estimator.Estimator(
      functools.partial(model_fn, [6, 1]), directory,
      tf.estimator.RunConfig(None, 7, 10), {"last_rate": 0.01})

  def batches(count):
    slices = tf.data.Dataset.from_tensor_slices
    return lambda: slices((x, {"y": y})).repeat(count).batch(10)

  estimator.train(batches(None), None, 30)
  results = estimator.evaluate(batches(1), None, None, None, "last")
  found = estimator.predict(lambda: tf.data.Dataset.from_tensor_slices(x).batch(20))
  return dict(results, predictions=list(found))
