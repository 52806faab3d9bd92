"""Losses that the graph collects; functions within model_fns; rates made in calls; seeds."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def seeded_fn(features, labels, mode, params):
  """A network of its own, whose losses nobody names."""
  tf.set_random_seed(4)

  def network(x, units):
    # Two layers, and what is dropped between them.
    net = tf.layers.dense(
        x, units, activation=tf.nn.tanh, kernel_initializer=uniform(1),
        kernel_regularizer=tf.contrib.layers.l2_regularizer(params["weight_decay"]))
    net = tf.layers.dropout(
        net, 0.25, seed=7, training=mode == tf.estimator.ModeKeys.TRAIN)
    return tf.layers.dense(net, 3, kernel_initializer=uniform(2), name="logits")

  logits = network(features["x"], units=6)
  probabilities = tf.nn.softmax(logits)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"p": probabilities})

  def confident():
    return -tf.reduce_mean(tf.reduce_sum(probabilities * tf.log(probabilities), 1))

  tf.losses.sparse_softmax_cross_entropy(labels, logits)
  # How sure it is.
  tf.losses.add_loss(params["confidence"] * confident())
  tf.losses.mean_squared_error(
      tf.one_hot(labels, 3), probabilities,
      weights=0.5)
  loss = tf.losses.get_total_loss()
  metrics = {"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))}
  step = tf.train.get_or_create_global_step()
  optimizer = tf.train.MomentumOptimizer(
      tf.maximum(0.02, tf.train.exponential_decay(0.2, step, 2, 0.7)), 0.9)
  train_op = optimizer.minimize(loss, global_step=step)
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def coder_fn(features, mode, params):
  """An autoencoder, which takes no labels."""
  x = features["x"]

  def dense(net, units, seed, activation=None):
    with tf.variable_scope("layer_%d" % seed):
      return tf.layers.dense(
          net, units, activation=activation, kernel_initializer=uniform(seed))

  code = dense(x, params["code"], 3, tf.nn.relu)
  decoded = dense(code, 4, 4)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"x": decoded, "code": code})

  def distance(weight):
    return weight * tf.reduce_sum(tf.abs(x - decoded), axis=1)

  mse = tf.losses.mean_squared_error(x, decoded)
  sparse = tf.reduce_mean(tf.abs(code))
  tf.losses.add_loss(sparse)
  loss = tf.add_n(tf.losses.get_losses()) + 0.1 * tf.reduce_mean(distance(0.5))
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={"far": tf.metrics.mean(distance(1.0))})
  optimizer = tf.train.AdamOptimizer(
      learning_rate=lambda: params["rate"] / (
          1.0 + tf.to_float(tf.train.get_global_step())))
  gradients = optimizer.compute_gradients(loss)

  def clipped(gradient):
    return None if gradient is None else tf.clip_by_norm(gradient, 0.3)

  train_op = optimizer.apply_gradients(
      [(clipped(g), v) for g, v in gradients], tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(8)
  x = rng.randn(48, 4).astype(np.float32)
  y = (x.sum(1) > 0).astype(np.int64) + (x[:, 0] > 1)
  slices = tf.data.Dataset.from_tensor_slices

  results = {}
  for name, estimator, rows in (
      ("seeded", tf.estimator.Estimator(
          seeded_fn, directory + "/seeded",
          params={"weight_decay": 0.05, "confidence": 0.3}), ({"x": x}, y)),
      ("coder", tf.estimator.Estimator(
          coder_fn, directory + "/coder", params={"code": 3, "rate": 0.1}), {"x": x}),
  ):
    for part in ("first", "later"):
      estimator.train(lambda: slices(rows).batch(8), steps=5)
      evaluated = estimator.evaluate(lambda: slices(rows).batch(12))
      results.update({name + "/" + part + "/" + k: v for k, v in evaluated.items()})
    predicted = list(estimator.predict(lambda: slices({"x": x}).batch(12)))
    for key in predicted[0]:
      results[name + "/predicted/" + key] = [p[key] for p in predicted]
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
