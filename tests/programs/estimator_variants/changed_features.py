"""A model_fn that takes parts out of its features; columns that share a table of vectors;
a raw serving input of placeholders without names; tags beside variables and in scopes.
"""

import glob
import os

import numpy as np
import tensorflow as tf

fc = tf.feature_column


def columns():
  bought = fc.categorical_column_with_identity("bought", 6)
  seen = fc.categorical_column_with_identity("seen", 6)
  return fc.shared_embedding_columns(
      [bought, seen], 3, initializer=tf.constant_initializer(0.1))


def model_fn(features, labels, mode, params):
  key = features["key"]
  if "weight" in features:
    weight = features.pop("weight")
  else:
    weight = 1.0
  features["price"] = tf.log1p(features["price"])
  net = fc.input_layer(
      features, params["columns"] + [fc.numeric_column("price", shape=[2])])
  with tf.variable_scope("out"):
    w = tf.get_variable("w", [8], initializer=tf.random_uniform_initializer(seed=1))
    tf.summary.histogram("w", w)
    tf.summary.scalar("size", tf.reduce_sum(tf.square(w)))
    y = tf.reduce_sum(net * w, 1)
  predictions = {"key": key, "y": y}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions=predictions,
        export_outputs={"serving_default": tf.estimator.export.PredictOutput(predictions)})
  loss = tf.losses.mean_squared_error(labels, y, weights=weight)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  with tf.name_scope("monitor"):
    tf.summary.scalar("loss", loss)
  with tf.name_scope("monitor"):
    tf.summary.scalar("twice", loss * 2)
  step = tf.train.get_global_step()
  tf.summary.scalar("global_step", step)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(seed):
  rng = np.random.RandomState(seed)
  features = {
      "key": np.arange(40),
      "bought": rng.randint(6, size=40),
      "seen": rng.randint(6, size=40),
      "price": rng.rand(40, 2).astype(np.float32),
      "weight": rng.rand(40).astype(np.float32),
  }
  labels = (features["bought"] + features["price"][:, 0]).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices((features, labels)).batch(8)


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
      model_fn, directory, tf.estimator.RunConfig(save_summary_steps=1),
      params={"columns": columns()})
  estimator.train(lambda: input_fn(1))
  results = dict(estimator.evaluate(lambda: input_fn(2)))
  results["y"] = [p["y"] for p in estimator.predict(lambda: input_fn(2))]
  for tag, value in tags(directory).items():
    # TF1's update raced with what read its variable.
    results[tag] = 0.0 if tag.startswith("out/") else value

  price = tf.placeholder(tf.float32, [None, 2])
  spec = {name: tf.placeholder(tf.int64, [None]) for name in ("key", "bought", "seen")}
  spec["price"] = price
  path = estimator.export_savedmodel(
      os.path.join(directory, "export"),
      tf.estimator.export.build_raw_serving_input_receiver_fn(spec))
  answer = tf.contrib.predictor.from_saved_model(path)
  results["answer"] = answer({
      "key": [5, 6], "bought": [1, 2], "seen": [3, 3], "price": [[1.0, 2.0], [0.5, 0.0]]})["y"]
  return results
