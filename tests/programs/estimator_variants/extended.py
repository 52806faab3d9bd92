"""Estimators of Estimators: features among their predictions, and optimizers that clip."""

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, params):
  net = tf.layers.dense(
      features["x"], 4, tf.nn.relu,
      kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
  y = tf.layers.dense(
      net, 1, kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"y": y},
        export_outputs={"serving_default": tf.estimator.export.PredictOutput({"y": y})})
  loss = tf.losses.mean_squared_error(labels, y)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  optimizer = tf.contrib.estimator.clip_gradients_by_norm(
      tf.train.MomentumOptimizer(params["rate"], 0.9), params["norm"])
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def parsed():
  x = tf.placeholder(tf.float32, [None, 3], name="x_in")
  key = tf.placeholder(tf.int64, [None], name="key_in")
  features = {"x": x, "key": key}
  return tf.estimator.export.ServingInputReceiver(features, features)


def run(directory):
  rng = np.random.RandomState(6)
  x = rng.randn(36, 3).astype(np.float32)
  y = 3.0 * x[:, :1] - x[:, 1:2]
  key = np.arange(100, 136)
  dataset = lambda: tf.data.Dataset.from_tensor_slices(
      ({"x": x, "key": key}, y)).repeat(3).batch(9)
  results = {}
  plain = tf.estimator.Estimator(
      model_fn, directory + "/plain", params={"rate": 0.1, "norm": 0.5})
  estimator = tf.contrib.estimator.forward_features(plain, "key")
  estimator.train(dataset)
  results["loss"] = estimator.evaluate(dataset)["loss"]
  found = list(estimator.predict(dataset))
  results["keys"] = [row["key"] for row in found]
  results["y"] = [row["y"] for row in found]
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  saved = estimator.export_savedmodel(directory + "/saved", parsed).decode()
  with tf.Session(graph=tf.Graph()) as session:
    loaded = tf.saved_model.loader.load(session, ["serve"], saved)
    outputs = loaded.signature_def["serving_default"].outputs
    results["outputs"] = sorted(outputs) == ["key", "y"]
    results["served"], results["served/key"] = session.run(
        [outputs["y"].name, outputs["key"].name], {"x_in:0": x[:4], "key_in:0": key[:4]})
  ready = tf.estimator.LinearRegressor(
      [tf.feature_column.numeric_column("x", shape=3)], directory + "/ready",
      optimizer=tf.contrib.estimator.clip_gradients_by_norm(
          tf.train.FtrlOptimizer(0.2), 1.0))
  ready = tf.contrib.estimator.forward_features(ready, ["key"])
  ready.train(dataset)
  results["ready/loss"] = ready.evaluate(dataset)["loss"]
  results["ready/keys"] = [row["key"] for row in ready.predict(dataset)]
  for name in ready.get_variable_names():
    results["ready/variable/" + name] = ready.get_variable_value(name)
  return results
