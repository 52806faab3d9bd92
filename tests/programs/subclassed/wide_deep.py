"""Wide and deep by hand: a table for each word, a weight for each; tasks, and two devices."""

import os

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def model_fn(features, labels, mode, params):
  words, size = params["words"], params["size"]
  with tf.variable_scope("wide"):
    weights = tf.get_variable("weights", [words], initializer=uniform(1))
    bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
  with tf.variable_scope("deep"):
    table = tf.get_variable("table", [words, size], initializer=uniform(2))
    kernel = tf.get_variable(
        "kernel", [size + features["x"].shape[1], params["hidden"]],
        features["x"].dtype, initializer=uniform(3))

  wide = tf.reduce_sum(tf.gather(weights, features["word"]), 1) + bias
  # The mean of the words' rows, beside the numbers.
  deep = tf.reduce_mean(tf.nn.embedding_lookup(table, features["word"]), 1)
  deep = tf.nn.tanh(tf.matmul(tf.concat([deep, features["x"]], 1), kernel))
  deep = tf.layers.dense(deep, 1, kernel_initializer=uniform(4), name="deep/out")
  logits = wide + tf.squeeze(deep, 1)
  predictions = {"logits": logits, "likely": tf.sigmoid(logits)}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)

  loss = tf.losses.sigmoid_cross_entropy(labels, logits, weights=features["weight"])
  if mode == tf.estimator.ModeKeys.EVAL:
    right = tf.cast(logits > 0, tf.float32)
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
        "accuracy": tf.metrics.accuracy(labels, right, weights=features["weight"]),
        "auc": tf.metrics.auc(labels, predictions["likely"]),
        "found": tf.metrics.true_positives(labels, right),
    })
  optimizer = tf.train.AdagradOptimizer(params["rate"])
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(seed, epochs):
  rng = np.random.RandomState(seed)
  word = rng.randint(11, size=[60, 3])
  x = rng.randn(60, 2).astype(np.float32)
  features = {"word": word, "x": x, "weight": rng.rand(60).astype(np.float32)}
  label = (x[:, 0] + (word % 2).sum(1) > 1.5).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices((features, label)).repeat(epochs).batch(12)


def make(directory, **kwargs):
  config = tf.estimator.RunConfig(directory, save_checkpoints_steps=10, **kwargs)
  params = {"words": 11, "size": 4, "hidden": 5, "rate": 0.1}
  return tf.estimator.Estimator(model_fn, config=config, params=params)


def found(estimator):
  results = dict(estimator.evaluate(lambda: input_fn(2, 1)))
  for name in ("logits", "likely"):
    results[name] = [p[name] for p in estimator.predict(lambda: input_fn(2, 1))]
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  return results


def run(directory):
  results = {}
  if not os.environ.get("TF_CONFIG"):
    mirrored = make(
        directory + "/mirrored",
        train_distribute=tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
        session_config=tf.ConfigProto(device_count={"CPU": 2}))
    mirrored.train(lambda: input_fn(1, 4))
    for name, value in found(mirrored).items():
      results["mirrored/" + name] = value
  estimator = make(directory + "/tasks")
  tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(lambda: input_fn(1, None), max_steps=20),
      tf.estimator.EvalSpec(
          lambda: input_fn(2, 1), steps=None, start_delay_secs=0, throttle_secs=0))
  if estimator.config.is_chief:
    for name, value in found(estimator).items():
      results["tasks/" + name] = value
  return results
