"""One of the zoo's networks, and a linear one, each with its model function."""

import numpy as np
import tensorflow as tf

import training_log
import zoo


def lenet_fn(features, labels, mode, params):
  logits = zoo.lenet(
      features["x"], 3, is_training=mode == tf.estimator.ModeKeys.TRAIN)
  probabilities = tf.nn.softmax(logits)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, {"probabilities": probabilities})
  loss = tf.losses.softmax_cross_entropy(tf.one_hot(labels, 3), logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
        "accuracy": tf.metrics.accuracy(labels, tf.argmax(probabilities, 1))})
  train_op = tf.train.RMSPropOptimizer(params["rate"]).minimize(
      loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def linear_fn(features, labels, mode):
  logits = zoo.linear(features["x"], 3)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, {"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(
      mode, {"logits": logits}, loss, train_op,
      {"mean": tf.metrics.mean(logits)})


def run(directory):
  rng = np.random.RandomState(6)
  x = rng.randn(32, 16).astype(np.float32)
  y = rng.randint(0, 3, 32)
  slices = tf.data.Dataset.from_tensor_slices
  found = {}
  for name, estimator in (
      ("lenet", tf.estimator.Estimator(
          lenet_fn, directory + "/lenet", training_log.every_step(), {"rate": 0.01})),
      ("linear", tf.estimator.Estimator(
          linear_fn, directory + "/linear", training_log.every_step())),
  ):
    estimator.train(lambda: slices(({"x": x}, y)).repeat(2).batch(8))
    evaluated = estimator.evaluate(lambda: slices(({"x": x}, y)).batch(12))
    found.update(training_log.results(name, estimator, evaluated))
    predicted = list(estimator.predict(lambda: slices({"x": x}).batch(12)))
    for key in predicted[0]:
      found[name + "/" + key] = [p[key] for p in predicted]
  return found
