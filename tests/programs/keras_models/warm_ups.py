"""Learning rates that are computed with the step: warmed up, as a root, by a function."""

import glob

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def warmed_fn(features, labels, mode, params):
  """A linear warm-up before a linear decay."""
  net = tf.layers.dense(features["x"], 5, tf.nn.relu, kernel_initializer=uniform(1))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=tf.nn.softmax(logits))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  global_step = tf.train.get_or_create_global_step()
  init_lr = params["rate"]
  learning_rate = tf.constant(value=init_lr, shape=[], dtype=tf.float32)
  # Linear decay.
  learning_rate = tf.train.polynomial_decay(
      learning_rate, global_step, params["steps"], end_learning_rate=0.0, power=1.0)
  if params["warm_up"]:
    # While it warms up, the rate is a part of the first one.
    steps = tf.cast(global_step, tf.float32)
    warm_up = tf.constant(params["warm_up"], dtype=tf.float32)
    done = steps / warm_up
    is_warm_up = tf.cast(steps < warm_up, tf.float32)
    learning_rate = (1.0 - is_warm_up) * learning_rate + is_warm_up * init_lr * done
  tf.summary.scalar("learning_rate", learning_rate)
  optimizer = tf.train.AdamOptimizer(learning_rate=learning_rate)
  variables = tf.trainable_variables()
  gradients = tf.gradients(loss, variables)
  gradients, _ = tf.clip_by_global_norm(gradients, clip_norm=1.0)
  train_op = optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def noam(base, units):
  """The rate of Transformers."""
  step = tf.to_float(tf.train.get_global_step()) + 1.0
  return base * units ** -0.5 * tf.minimum(step ** -0.5, step * 4 ** -1.5)


def root_fn(features, labels, mode, params):
  net = tf.layers.dense(features["x"], 5, tf.nn.relu, kernel_initializer=uniform(1))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=tf.nn.softmax(logits))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = None
  if mode == tf.estimator.ModeKeys.TRAIN:
    rate = noam(params["rate"], 16)
    rate = tf.maximum(rate, 0.05)
    optimizer = tf.train.MomentumOptimizer(rate, 0.8)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def summarized(directory, tag):
  """What a training wrote under a tag, by steps."""
  found = {}
  for path in sorted(glob.glob(directory + "/events*")):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.tag == tag:
          found[event.step] = value.simple_value
  return [found[step] for step in sorted(found)]


def run(directory):
  rng = np.random.RandomState(9)
  x = rng.randn(60, 4).astype(np.float32)
  label = np.argmax(x[:, :3], 1)
  slices = tf.data.Dataset.from_tensor_slices
  config = tf.estimator.RunConfig(save_summary_steps=1)
  results = {}
  for name, estimator in (
      ("warmed", tf.estimator.Estimator(
          warmed_fn, directory + "/warmed", config,
          {"rate": 0.1, "steps": 12, "warm_up": 5})),
      ("decayed", tf.estimator.Estimator(
          warmed_fn, directory + "/decayed", config,
          {"rate": 0.1, "steps": 12, "warm_up": 0})),
      ("root", tf.estimator.Estimator(
          root_fn, directory + "/root", config, {"rate": 2.0})),
  ):
    estimator.train(lambda: slices(({"x": x}, label)).repeat(2).batch(9))
    evaluated = estimator.evaluate(lambda: slices(({"x": x}, label)).batch(20))
    results.update({name + "/eval/" + k: v for k, v in evaluated.items()})
    for tag in ("loss", "learning_rate"):
      values = summarized(directory + "/" + name, tag)
      if values:
        results[name + "/" + tag] = values
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
