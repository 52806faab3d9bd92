"""Evaluations of the variables that are being trained, between checkpoints."""

import glob
import os

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
  w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
  y = tf.matmul(features, w)
  loss = tf.losses.mean_squared_error(labels, y)
  train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, y)})


def rows(number, repeat):
  def input_fn():
    x = np.random.RandomState(number).randn(number, 2).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat(repeat).batch(4)

  return input_fn


def evaluations(directory):
  found = []
  for path in sorted(glob.glob(directory + "/events*")):
    for event in tf.train.summary_iterator(path):
      found += [[event.step, v.simple_value] for v in event.summary.value
                if v.tag in ("loss", "mae")]
  return sorted(found)


def run(directory):
  estimator = tf.estimator.Estimator(model_fn, directory)
  hooks = [
      tf.estimator.experimental.InMemoryEvaluatorHook(
          estimator, rows(12, 1), every_n_iter=3),
      tf.estimator.experimental.InMemoryEvaluatorHook(
          estimator, rows(8, None), steps=2, name="other", every_n_iter=4),
  ]
  estimator.train(rows(20, None), hooks=hooks, steps=8)
  estimator.train(rows(20, None), hooks=hooks[:1], steps=2)
  return {
      "eval": evaluations(estimator.eval_dir()),
      "other": evaluations(estimator.eval_dir("other")),
      "w": estimator.get_variable_value("w"),
      "checkpoints": sorted(
          os.path.basename(p) for p in glob.glob(directory + "/*.index")),
  }
