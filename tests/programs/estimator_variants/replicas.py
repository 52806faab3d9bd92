"""Models on two devices, whose input_fns ask for their context: what is added up, what is a mean."""

import glob

import numpy as np
import tensorflow as tf

told = []


def batches(input_context=None):
  rng = np.random.RandomState(5)
  x = rng.rand(64, 4).astype(np.float32)
  y = x[:, :1] - 2 * x[:, 1:2]
  size = 16
  if input_context:
    size = input_context.get_per_replica_batch_size(16)
    told.append([
        input_context.num_input_pipelines, input_context.input_pipeline_id,
        input_context.num_replicas_in_sync])
  return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat(4).batch(size)


def network(features, seed):
  return tf.layers.dense(
      features["x"], 1, name="out",
      kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=seed))


def minimised_fn(features, labels, mode):
  """A mean over a replica's batch."""
  net = tf.layers.dense(
      features["x"], 3, tf.nn.relu, name="hidden",
      kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=1))
  out = tf.layers.dense(
      net, 1, name="out",
      kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=2))
  loss = tf.losses.mean_squared_error(labels, out)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def summed_fn(features, labels, mode):
  """A sum that nothing but its operation tells of."""
  out = network(features, 3)
  loss = tf.reduce_sum(tf.square(labels - out))
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  optimizer = tf.train.GradientDescentOptimizer(0.01)
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def derived_fn(features, labels, mode):
  """Gradients of tf.gradients, which no optimizer divides by the number of replicas."""
  out = network(features, 4)
  loss = tf.reduce_mean(tf.square(labels - out))
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  optimizer = tf.train.GradientDescentOptimizer(0.05)
  tvars = tf.trainable_variables()
  grads = tf.gradients(loss, tvars)
  grads, _ = tf.clip_by_global_norm(grads, clip_norm=1.0)
  train_op = optimizer.apply_gradients(
      zip(grads, tvars), global_step=tf.train.get_global_step())
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
      train_distribute=strategy, eval_distribute=strategy, save_summary_steps=1,
      session_config=tf.ConfigProto(device_count={"CPU": 2}))
  minimised = tf.estimator.Estimator(minimised_fn, directory + "/minimised", config)
  summed = tf.estimator.Estimator(summed_fn, directory + "/summed", config)
  derived = tf.estimator.Estimator(derived_fn, directory + "/derived", config)
  for estimator in (minimised, summed, derived):
    del told[:]
    name = estimator.model_dir.rpartition("/")[2]
    estimator.train(batches, steps=8)
    results[name + "/losses"] = reported(estimator.model_dir)
    evaluated = estimator.evaluate(batches, steps=3)
    results[name + "/loss"] = evaluated["loss"]
    results[name + "/told"] = told[:1] + told[-1:]
    results[name + "/kernel"] = estimator.get_variable_value("out/kernel")
  return results
