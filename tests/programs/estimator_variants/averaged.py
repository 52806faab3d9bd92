"""Averages of weights that evaluation uses, gradients gathered over steps, gated updates."""

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, params):
  w = tf.get_variable(
      "w", [3, 1], initializer=tf.random_uniform_initializer(-1, 1, seed=1))
  loss = tf.losses.mean_squared_error(labels, tf.matmul(features, w))
  averages = tf.train.ExponentialMovingAverage(params["decay"])
  if mode == tf.estimator.ModeKeys.EVAL:
    saver = tf.train.Saver(averages.variables_to_restore())
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, scaffold=tf.train.Scaffold(saver=saver))
  optimizer = tf.train.RMSPropOptimizer(0.05, momentum=0.5)
  (gradient, _), = optimizer.compute_gradients(loss, [w])
  gathered = tf.get_variable(
      "gathered", [3, 1], initializer=tf.zeros_initializer(), trainable=False)
  step = tf.train.get_global_step()
  added = tf.assign_add(gathered, gradient)
  with tf.control_dependencies([added]):
    every = tf.equal((step + 1) % params["every"], 0)
    mean = gathered.read_value() / params["every"]

    def apply():
      applied = optimizer.apply_gradients([(mean, w)])
      with tf.control_dependencies([applied]):
        with tf.control_dependencies([tf.assign(gathered, tf.zeros([3, 1]))]):
          return tf.no_op()

    update = tf.cond(every, apply, tf.no_op)
  with tf.control_dependencies([update]):
    with tf.control_dependencies([averages.apply([w])]):
      train_op = tf.assign_add(step, 1)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  tf.enable_resource_variables()
  rng = np.random.RandomState(13)
  x = rng.randn(48, 3).astype(np.float32)
  y = x.dot([[1.0], [2.0], [-1.0]]).astype(np.float32)
  input_fn = lambda: tf.data.Dataset.from_tensor_slices((x, y)).repeat(4).batch(8)
  estimator = tf.estimator.Estimator(
      model_fn, directory, params={"decay": 0.8, "every": 3})
  estimator.train(input_fn)
  results = {"loss": estimator.evaluate(input_fn, steps=6)["loss"]}
  for name in estimator.get_variable_names():
    results[name] = estimator.get_variable_value(name)
  return results
