"""Updates in scopes, which name their variables, and training that goes on."""

import os

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def variables_fn(features, labels, mode):
  """In a variable scope."""
  net = tf.layers.dense(features["x"], 6, tf.nn.relu, kernel_initializer=uniform(1))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  with tf.variable_scope("train"):
    optimizer = tf.train.AdamOptimizer(0.05)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def names_fn(features, labels, mode):
  """In a name scope, with gradients that are clipped."""
  with tf.variable_scope("net"):
    net = tf.layers.dense(features["x"], 6, tf.nn.relu, kernel_initializer=uniform(1))
    logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  with tf.name_scope("training_op"):
    optimizer = tf.train.AdamOptimizer(0.05)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, _ = tf.clip_by_global_norm(gradients, 0.2)
    train_op = optimizer.apply_gradients(
        zip(gradients, variables), tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def whole_fn(features, labels, mode):
  """All of it in a variable scope, and a name scope in that."""
  with tf.variable_scope("whole"):
    net = tf.layers.dense(features["x"], 6, tf.nn.relu, kernel_initializer=uniform(1))
    logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    with tf.name_scope("update"):
      train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
          loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(
        mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def averaged_fn(features, labels, mode):
  """Moving averages in the update's scope."""
  logits = tf.layers.dense(features["x"], 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  with tf.variable_scope("optimizer"):
    update = tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_global_step())
    averages = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([update]):
      train_op = averages.apply(tf.trainable_variables())
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(10)
  x = rng.randn(48, 4).astype(np.float32)
  y = (x.sum(1) > 0).astype(np.int64) + (x[:, 0] > 1)
  slices = tf.data.Dataset.from_tensor_slices

  results = {}
  for name, estimator in (
      ("variables", tf.estimator.Estimator(
          variables_fn, os.path.join(directory, "variables"))),
      ("names", tf.estimator.Estimator(names_fn, os.path.join(directory, "names"))),
      ("whole", tf.estimator.Estimator(whole_fn, os.path.join(directory, "whole"))),
      ("averaged", tf.estimator.Estimator(
          averaged_fn, os.path.join(directory, "averaged"))),
  ):
    if tf.train.latest_checkpoint(estimator.model_dir) is None:
      estimator.train(lambda: slices(({"x": x}, y)).batch(8), steps=5)
    estimator.train(lambda: slices(({"x": x}, y)).batch(8), max_steps=10)
    evaluated = estimator.evaluate(lambda: slices(({"x": x}, y)).batch(12))
    results.update({name + "/" + k: v for k, v in evaluated.items()})
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
