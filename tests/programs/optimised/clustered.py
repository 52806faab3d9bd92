"""train_and_evaluate with optimize_loss in a scope: one process, or the tasks of TF_CONFIG."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def model_fn(features, labels, mode):
  net = tf.layers.dense(features["x"], 6, tf.nn.relu, kernel_initializer=uniform(1))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  with tf.variable_scope("train"):
    train_op = tf.contrib.layers.optimize_loss(
        loss, tf.train.get_global_step(), 0.05, "Adam", clip_gradients=0.5)
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def input_fn():
  rng = np.random.RandomState(10)
  x = rng.randn(48, 4).astype(np.float32)
  y = (x.sum(1) > 0).astype(np.int64) + (x[:, 0] > 1)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(8)


def run(directory):
  estimator = tf.estimator.Estimator(model_fn, directory)
  tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(input_fn, max_steps=12),
      tf.estimator.EvalSpec(input_fn, steps=6))
  return {
      "variable/" + name: estimator.get_variable_value(name)
      for name in estimator.get_variable_names()}
