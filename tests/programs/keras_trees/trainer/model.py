"""Models that the programs of this tree train."""

import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def classifier_fn(features, labels, mode, params):
  """Two layers."""
  net = tf.layers.dense(
      features["x"], params["hidden"], tf.nn.tanh, kernel_initializer=uniform(1))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2), name="logits")
  classes = tf.argmax(logits, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"class": classes, "scores": tf.nn.softmax(logits)})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
        "accuracy": tf.metrics.accuracy(labels, classes)})
  train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
      loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def regression(rate):
  """Returns a model_fn with this rate."""

  def model_fn(features, labels, mode):
    value = tf.layers.dense(features["x"], 1, kernel_initializer=uniform(3))
    loss = tf.losses.mean_squared_error(tf.to_float(labels)[:, tf.newaxis], value)
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(
        loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(
        mode, {"value": value}, loss, train_op, {"mean": tf.metrics.mean(value)})

  return model_fn
