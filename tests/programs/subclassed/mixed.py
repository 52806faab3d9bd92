"""Columns and layers that functions are applied between, and dropout by the mode."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def model_fn(features, labels, mode, params):
  is_training = mode == tf.estimator.ModeKeys.TRAIN
  net = tf.feature_column.input_layer(features, params["columns"])
  for units in params["hidden"]:
    net = tf.layers.dense(net, units, tf.nn.relu, kernel_initializer=uniform(units))
    if is_training:
      net = tf.nn.dropout(net, keep_prob=0.8, seed=units)
  # Two halves, one of which says how much of the other counts.
  value, gate = tf.split(net, 2, axis=1)
  net = value * tf.nn.sigmoid(gate)
  net = tf.layers.batch_normalization(net, training=is_training, momentum=0.9)
  net = tf.cond(
      tf.reduce_mean(net) > 10.0, lambda: net / 10.0, lambda: tf.identity(net))
  logits = tf.layers.dense(net, 2, kernel_initializer=uniform(1), name="logits")
  predictions = {"class": tf.argmax(logits, 1), "logits": logits}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)
  loss = tf.losses.sparse_softmax_cross_entropy(
      labels, logits, weights=features["weight"])
  metrics = {
      "accuracy": tf.metrics.accuracy(
          labels, predictions["class"], weights=features["weight"])}
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.AdagradOptimizer(0.1).minimize(
        loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(seed, epochs):
  rng = np.random.RandomState(seed)
  place = rng.choice(["bog", "hill", "shore"], 60)
  height = rng.rand(60).astype(np.float32)
  label = ((place == "hill") & (height > 0.3)).astype(np.int32)
  features = {
      "place": place, "height": height, "weight": rng.rand(60).astype(np.float32)}
  return tf.data.Dataset.from_tensor_slices((features, label)).repeat(epochs).batch(12)


def run(directory):
  place = tf.feature_column.categorical_column_with_vocabulary_list(
      "place", ["bog", "hill", "shore"])
  columns = [
      tf.feature_column.numeric_column("height"),
      tf.feature_column.embedding_column(place, 2, initializer=uniform(9))]
  estimator = tf.estimator.Estimator(
      model_fn, directory, params={"columns": columns, "hidden": [8, 6]})
  estimator.train(lambda: input_fn(1, 4))
  results = dict(estimator.evaluate(lambda: input_fn(2, 1)))
  for name in ("class", "logits"):
    results[name] = [p[name] for p in estimator.predict(lambda: input_fn(2, 1))]
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  return results
