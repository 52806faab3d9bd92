"""Scaffolds as programs give them: initialisers and a saver, and weights of another training."""

import glob
import os

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def network(features, classes):
  net = tf.layers.dense(
      features["x"], 5, tf.nn.relu, kernel_initializer=uniform(1), name="trunk")
  return tf.layers.dense(net, classes, kernel_initializer=uniform(2), name="head")


def first_fn(features, labels, mode):
  """Keeps two checkpoints, and says what is initialised."""
  net = tf.layers.dense(
      features["x"], 5, tf.nn.relu, kernel_initializer=uniform(1), name="trunk")
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(3), name="head")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  local_init_op = tf.group(tf.local_variables_initializer(), tf.tables_initializer())
  if mode == tf.estimator.ModeKeys.EVAL:
    accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={"accuracy": accuracy},
        scaffold=tf.train.Scaffold(local_init_op=local_init_op))
  train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode,
      loss=loss,
      train_op=train_op,
      scaffold=tf.train.Scaffold(
          init_op=tf.global_variables_initializer(),
          local_init_op=local_init_op,
          summary_op=tf.summary.merge_all(),
          saver=tf.train.Saver(max_to_keep=2)))


def second_fn(features, labels, mode, params):
  """Begins with the other's trunk."""
  logits = network(features, 2)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  scaffold = None
  if mode == tf.estimator.ModeKeys.TRAIN:
    variables = slim.get_variables_to_restore(exclude=["head", "global_step"])
    restore = slim.assign_from_checkpoint_fn(
        tf.train.latest_checkpoint(params["first"]), variables)

    def init_fn(scaffold, session):
      restore(session)

    scaffold = tf.train.Scaffold(
        init_fn=init_fn, ready_op=tf.report_uninitialized_variables())
  train_op = tf.train.GradientDescentOptimizer(0.2).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, scaffold=scaffold)


def losses(directory):
  found = {}
  for path in glob.glob(directory + "/events*"):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.tag == "loss":
          found[event.step] = value.simple_value
  return [found[step] for step in sorted(found)]


def run(directory):
  config = tf.estimator.RunConfig(save_summary_steps=1, save_checkpoints_steps=3)
  x = np.random.RandomState(5).randn(40, 4).astype(np.float32)
  three = np.digitize(x.sum(1), [-1, 1]).astype(np.int32)
  two = (x[:, 0] > 0).astype(np.int32)
  first, second = directory + "/first", directory + "/second"
  inputs = lambda labels: lambda: tf.data.Dataset.from_tensor_slices(
      ({"x": x}, labels)).repeat().batch(8)
  one = tf.estimator.Estimator(first_fn, first, config)
  one.train(inputs(three), steps=10)
  other = tf.estimator.Estimator(second_fn, second, config, params={"first": first})
  other.train(inputs(two), steps=10)
  kept = sorted(
      int(os.path.basename(path)[len("model.ckpt-"):-len(".index")])
      for path in glob.glob(first + "/model.ckpt-*.index"))
  results = {
      "kept": kept,
      "first/losses": losses(first),
      "second/losses": losses(second),
      "trunk": other.get_variable_value("trunk/kernel"),
  }
  for key, value in one.evaluate(inputs(three), steps=5).items():
    results["first/eval/" + key] = value
  for key, value in other.evaluate(inputs(two), steps=5).items():
    results["second/eval/" + key] = value
  return results
