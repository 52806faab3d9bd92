"""Summaries in scopes, beside variables and layers of their names, and kept in a name."""

import glob
import os

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
  with tf.variable_scope("linear"):
    w = tf.get_variable("w", [3, 4], initializer=tf.random_uniform_initializer(seed=1))
    tf.summary.histogram("w", w)
    net = tf.matmul(features["x"], w)
  with tf.variable_scope("hidden"):
    net = tf.layers.dense(
        net, 4, tf.nn.relu, name="fc", kernel_initializer=tf.constant_initializer(0.5))
    tf.summary.histogram("fc", net)
  logits = tf.layers.dense(
      net, 2, name="logits",
      kernel_initializer=tf.random_uniform_initializer(seed=2))
  tf.summary.histogram("logits", logits)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})

  with tf.name_scope("training"):
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    tf.summary.scalar("loss", loss)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)

  with tf.variable_scope("linear"):
    tf.summary.scalar("size", tf.norm(w))
  # Kept in a name that nothing reads.
  right = tf.reduce_mean(tf.to_float(tf.nn.in_top_k(logits, labels, 1)))
  right_summary = tf.summary.scalar("right", right)
  optimizer = tf.train.GradientDescentOptimizer(0.1)
  gradients, variables = zip(*optimizer.compute_gradients(loss))
  largest = tf.reduce_max([tf.reduce_max(g) for g in gradients])
  tf.summary.scalar("largest", largest)
  gradients, size = tf.clip_by_global_norm(gradients, 0.1)
  tf.summary.scalar("gradient_norm", size)
  tf.summary.scalar("clipped", tf.global_norm(gradients))
  train_op = optimizer.apply_gradients(
      zip(gradients, variables), tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(seed):
  rng = np.random.RandomState(seed)
  x = rng.rand(40, 3).astype(np.float32)
  labels = (x.sum(1) > 1.5).astype(np.int64)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, labels)).batch(8)


def tags(directory):
  """The last value of each scalar summary, and the sum of each histogram."""
  found = {}
  for path in glob.glob(os.path.join(directory, "events*")):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.HasField("simple_value"):
          found[value.tag] = value.simple_value
        elif value.HasField("histo"):
          found[value.tag] = value.histo.sum
  return {tag: v for tag, v in found.items() if "/sec" not in tag}


def run(directory):
  estimator = tf.estimator.Estimator(
      model_fn, directory, tf.estimator.RunConfig(save_summary_steps=1))
  estimator.train(lambda: input_fn(1))
  results = dict(estimator.evaluate(lambda: input_fn(2)))
  results["logits"] = [p["logits"] for p in estimator.predict(lambda: input_fn(2))]
  results.update(tags(directory))
  return results
