"""A model that starts from parts of another: WarmStartSettings, a directory, init_from_checkpoint."""

import numpy as np
import tensorflow as tf


def rows(count):
  rng = np.random.RandomState(4)
  x = rng.randn(count, 3).astype(np.float32)
  return {"x": x}, (x[:, 0] - 2 * x[:, 1] + 0.5).astype(np.float32)


def input_fn():
  return tf.data.Dataset.from_tensor_slices(rows(60)).batch(10)


def model_fn(features, labels, mode, params):
  with tf.variable_scope(params["scope"], reuse=tf.AUTO_REUSE):
    hidden = tf.layers.dense(
        features["x"], 4, tf.tanh, name="hidden",
        kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=5))
    out = tf.layers.dense(
        hidden, 1, name="out",
        kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=6))
  if params.get("pretrained"):
    tf.train.init_from_checkpoint(
        params["pretrained"], {"first/hidden/": params["scope"] + "/hidden/"})
  loss = tf.losses.mean_squared_error(labels, tf.squeeze(out, 1))
  train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
      loss, global_step=tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  first = tf.estimator.Estimator(
      model_fn, directory + "/first", params={"scope": "first"})
  first.train(input_fn)
  settings = tf.estimator.WarmStartSettings(
      ckpt_to_initialize_from=directory + "/first", vars_to_warm_start=".*hidden.*",
      var_name_to_prev_var_name={
          "second/hidden/kernel": "first/hidden/kernel",
          "second/hidden/bias": "first/hidden/bias"})
  others = {
      "second": tf.estimator.Estimator(
          model_fn, directory + "/second", params={"scope": "second"},
          warm_start_from=settings),
      "third": tf.estimator.Estimator(
          model_fn, directory + "/third", params={"scope": "first"},
          warm_start_from=directory + "/first"),
      "fourth": tf.estimator.Estimator(
          model_fn, directory + "/fourth",
          params={"scope": "mine", "pretrained": directory + "/first"}),
  }
  results = {"first": first.evaluate(input_fn)["loss"]}
  for name, estimator in others.items():
    estimator.train(input_fn, steps=3)
    results[name] = estimator.evaluate(input_fn)["loss"]
  return results
