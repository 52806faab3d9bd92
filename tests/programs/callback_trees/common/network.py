"""The model."""

import numpy as np
import tensorflow as tf

from common.hooks import LossLoggerHook, StopBelowHook


def model_fn(features, labels, mode, params):
  net = tf.layers.dense(
      features["x"], params["hidden"], activation=tf.nn.tanh, name="hidden",
      kernel_initializer=tf.constant_initializer(np.linspace(-1, 1, 20)))
  out = tf.layers.dense(
      net, 1, name="out",
      kernel_initializer=tf.constant_initializer(np.linspace(1, -1, 5)))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"out": out})

  loss = tf.losses.mean_squared_error(labels, out)
  if mode == tf.estimator.ModeKeys.EVAL:
    metrics = {"mae": tf.metrics.mean_absolute_error(labels, out)}
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)

  largest = tf.reduce_max(tf.abs(out - labels))
  optimizer = tf.train.MomentumOptimizer(params["rate"], 0.5)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  logger = LossLoggerHook(loss, {"largest": largest}, every_n_steps=4)
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      training_hooks=[logger, StopBelowHook(loss, limit=params["enough"])])
