"""Models on two devices, of losses that have no names, and of chosen variables."""

import glob

import numpy as np
import tensorflow as tf


def batches():
  rng = np.random.RandomState(11)
  x = rng.rand(64, 4).astype(np.float32)
  y = x[:, :1] - 2 * x[:, 1:2]
  return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat(4).batch(8)


def network(features, name):
  with tf.variable_scope("body"):
    net = tf.layers.dense(
        features["x"], 3, tf.nn.relu,
        kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=1))
  with tf.variable_scope(name):
    return tf.layers.dense(
        net, 1, kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=2))


def named_fn(features, labels, mode):
  """Each device has a loss of its own, of which one is a function's."""
  out = network(features, "head")

  def small():
    return tf.reduce_mean(tf.square(out))

  loss = tf.losses.mean_squared_error(labels, out) + 0.1 * small()
  optimizer = tf.train.MomentumOptimizer(
      tf.maximum(0.02, 0.1 / (1 + tf.to_float(tf.train.get_global_step()))), 0.9)
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def chosen_fn(features, labels, mode):
  """The head alone."""
  out = network(features, "head")
  loss = tf.losses.absolute_difference(labels, out)
  train_op = tf.train.AdagradOptimizer(0.2).minimize(
      loss, tf.train.get_global_step(), var_list=tf.trainable_variables("head"))
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def total_fn(features, labels, mode):
  """On the second device the total has the first one's losses, too."""
  out = tf.layers.dense(
      features["x"], 1, kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=3))
  tf.losses.mean_squared_error(labels, out)
  tf.losses.add_loss(0.1 * tf.reduce_mean(tf.square(out)))
  loss = tf.losses.get_total_loss()
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def reported(directory):
  """The losses of all steps, from what was written for TensorBoard."""
  return [
      value.simple_value
      for path in sorted(glob.glob(directory + "/events.*"))
      for event in tf.train.summary_iterator(path)
      for value in event.summary.value if value.tag == "loss"]


def run(directory):
  results = {}
  strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
  config = tf.estimator.RunConfig(
      train_distribute=strategy, save_summary_steps=1,
      session_config=tf.ConfigProto(device_count={"CPU": 2}))
  for estimator in (
      tf.estimator.Estimator(named_fn, directory + "/named", config),
      tf.estimator.Estimator(chosen_fn, directory + "/chosen", config),
      tf.estimator.Estimator(total_fn, directory + "/total", config)):
    name = estimator.model_dir.rpartition("/")[2]
    estimator.train(batches, steps=8)
    results[name + "/losses"] = reported(estimator.model_dir)
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
