"""A training that ends when its evaluations get no better."""

import os
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
  w = tf.get_variable("w", shape=[2, 1], initializer=tf.constant_initializer(0.1))
  loss = tf.losses.mean_squared_error(labels, tf.matmul(features, w))
  train_op = tf.train.GradientDescentOptimizer(0.3).minimize(
    loss, global_step=tf.train.get_global_step()
  )
  return tf.estimator.EstimatorSpec(
    mode=mode,
    loss=loss,
    train_op=train_op,
    eval_metric_ops={
      "rmse": tf.metrics.root_mean_squared_error(labels, tf.matmul(features, w))
    },
  )


def input_fn(seed=0):
  rng = np.random.RandomState(seed)
  x = rng.randn(40, 2).astype(np.float32)
  return (
    tf.data.Dataset.from_tensor_slices(
      (x, x[:, :1] - x[:, 1:] + 0.1 * rng.randn(40, 1).astype(np.float32))
    )
    .repeat()
    .batch(8)
  )


def run(directory):
  est = tf.estimator.Estimator(
    model_fn, directory, tf.estimator.RunConfig(save_checkpoints_steps=5)
  )
  os.makedirs(est.eval_dir())
  hook = tf.estimator.experimental.stop_if_no_decrease_hook(
    est,
    "loss",
    max_steps_without_decrease=20,
    min_steps=10,
    run_every_secs=None,
    run_every_steps=5,
  )
  tf.estimator.train_and_evaluate(
    est,
    tf.estimator.TrainSpec(input_fn, max_steps=300, hooks=[hook]),
    tf.estimator.EvalSpec(
      lambda: input_fn(1), steps=5, throttle_secs=0, start_delay_secs=0
    ),
  )
  r = {
    "step": est.get_variable_value("global_step"),
    "w": est.get_variable_value("w"),
  }
  return r
