"""Networks that are called again, with the variables of their first call."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def tower(x, units, rate, training):
  """One side of a pair."""
  with tf.variable_scope("tower", reuse=tf.AUTO_REUSE):
    net = tf.layers.dense(
        x, 6, activation=tf.nn.tanh, kernel_initializer=uniform(1),
        kernel_regularizer=tf.contrib.layers.l2_regularizer(0.01))
    # Draws for each side.
    net = tf.layers.dropout(net, rate=rate, seed=7, training=training)
    return tf.layers.dense(net, units, kernel_initializer=uniform(2), name="top")


def pairs_fn(features, labels, mode, params):
  training = mode == tf.estimator.ModeKeys.TRAIN
  left = tower(features["left"], params["units"], 0.25, training)
  # The other side of the pair.
  right = tower(features["right"], params["units"], 0.25, training)
  score = tf.reduce_sum(left * right, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"score": score})
  loss = tf.losses.mean_squared_error(labels, score)
  loss += tf.losses.get_regularization_loss()
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, score)})
  train_op = tf.train.AdamOptimizer(0.02).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def attention(query, keys, reuse=False):
  """Weighs some vectors by how they suit another."""
  both = tf.concat([query, keys, query - keys], axis=-1)
  net = tf.layers.dense(
      both, 5, activation=tf.nn.sigmoid, name="f1_att", reuse=reuse,
      kernel_initializer=uniform(3))
  net = tf.layers.dense(
      net, 1, name="f2_att", reuse=reuse, kernel_initializer=uniform(4))
  return net * keys


def embed(part, size):
  return tf.layers.dense(
      part, size, name="part", reuse=tf.AUTO_REUSE, kernel_initializer=uniform(5),
      use_bias=False)


def head(net, name):
  net = tf.layers.dense(net, 3, tf.nn.relu, kernel_initializer=uniform(6), name=name)
  return tf.layers.dense(
      net, 1, kernel_initializer=uniform(8), name=name + "_out")


def plain(net):
  return tf.layers.dense(net, 1, kernel_initializer=uniform(9))


def parts_fn(features, labels, mode):
  parts = []
  for part in tf.split(features, 3, axis=1):
    # Every part is embedded alike.
    parts.append(embed(part, 4))
  net = attention(parts[0], parts[1])
  more = attention(parts[0], parts[2], reuse=True)
  with tf.variable_scope("heads") as scope:
    one = head(net, "sure")
    scope.reuse_variables()
    other = head(more, "sure")
  with tf.variable_scope("sum"):
    first = plain(net + more)
  with tf.variable_scope("sum", reuse=True):
    second = plain(net - more)
  logits = tf.squeeze(one + 2.0 * other + first * second, 1)
  predictions = {"likely": tf.sigmoid(logits)}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)
  loss = tf.losses.sigmoid_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        eval_metric_ops={"auc": tf.metrics.auc(labels, predictions["likely"])})
  train_op = tf.train.GradientDescentOptimizer(0.3).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def two_heads_fn(features, labels, mode):
  """A head that training alone has, beside the one that is asked."""
  net = tf.layers.dense(features, 6, tf.nn.tanh, kernel_initializer=uniform(11))
  score = tf.squeeze(tf.layers.dense(net, 1, kernel_initializer=uniform(12)), 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"score": score})
  loss = tf.losses.mean_squared_error(labels, score)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  # It learns the square of what is asked.
  square = tf.layers.dense(net, 1, name="square", kernel_initializer=uniform(13))
  loss += 0.5 * tf.losses.mean_squared_error(tf.square(labels), tf.squeeze(square, 1))
  train_op = tf.train.AdamOptimizer(0.02).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(3)
  slices = tf.data.Dataset.from_tensor_slices
  results = {}

  def take(name, estimator, rows):
    estimator.train(lambda: slices(rows).repeat(4).batch(8))
    for key, value in estimator.evaluate(lambda: slices(rows).batch(9)).items():
      results[name + "/eval/" + key] = value
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
    for key in ("score", "likely"):
      for found in estimator.predict(lambda: slices(rows[0]).batch(10)):
        if key in found:
          results.setdefault(name + "/" + key, []).append(found[key])

  x = rng.randn(40, 6).astype(np.float32)
  sides = {"left": x[:, :3], "right": x[:, 3:]}
  take("pairs", tf.estimator.Estimator(
      pairs_fn, directory + "/pairs", params={"units": 4}),
       (sides, x[:, 0] * x[:, 4]))
  take("parts", tf.estimator.Estimator(parts_fn, directory + "/parts"),
       (x, (x[:, 0] > x[:, 2]).astype(np.float32)))
  take("heads", tf.estimator.Estimator(two_heads_fn, directory + "/heads"),
       (x, x[:, 0] * x[:, 4]))
  return results
