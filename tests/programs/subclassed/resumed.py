"""Trains on from what a run before has left in model_dir, slots and step included."""

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, params):
  table = tf.get_variable("table", [9, params["size"]])
  net = tf.reduce_mean(tf.nn.embedding_lookup(table, features["word"]), 1)
  for i in range(2):
    w = tf.get_variable("w%d" % i, [params["size"], params["size"]])
    net = tf.nn.tanh(tf.matmul(net, w))
  net = tf.layers.batch_normalization(
      net, training=mode == tf.estimator.ModeKeys.TRAIN, momentum=0.9)
  logits = tf.layers.dense(net, 3)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  step = tf.train.get_global_step()
  rate = tf.train.exponential_decay(0.05, step, 10, 0.7, staircase=True)
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.AdamOptimizer(rate).minimize(loss, step)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  rng = np.random.RandomState(4)
  word = rng.randint(9, size=[48, 3])
  label = (word.sum(1) % 3).astype(np.int32)
  return tf.data.Dataset.from_tensor_slices(({"word": word}, label)).repeat().batch(8)


def variables(estimator):
  return {
      name: estimator.get_variable_value(name)
      for name in estimator.get_variable_names()
  }


def run(directory):
  results = {}
  estimator = tf.estimator.Estimator(model_fn, directory, params={"size": 4})
  if tf.train.latest_checkpoint(directory) is None:
    estimator.train(input_fn, steps=15)
    for name, value in variables(estimator).items():
      results["before/" + name] = value
  estimator.train(input_fn, max_steps=40)
  results.update(estimator.evaluate(input_fn, steps=6))
  results["logits"] = [
      p["logits"] for p, _ in zip(estimator.predict(input_fn), range(16))]
  for name, value in variables(estimator).items():
    results["after/" + name] = value
  return results
