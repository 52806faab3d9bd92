"""A network called twice, layer objects that share their weights, dictionaries built up."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def network(x_dict, classes, dropout, reuse, is_training):
  with tf.variable_scope("Net", reuse=reuse):
    x = x_dict["x"]
    net = tf.layers.dense(x, 6, tf.nn.relu, kernel_initializer=uniform(1))
    # Only where it trains.
    net = tf.layers.dropout(net, rate=dropout, seed=3, training=is_training)
    out = tf.layers.dense(net, classes, kernel_initializer=uniform(2))
  return out


def two_graphs_fn(features, labels, mode):
  # Dropout behaves differently where it trains.
  logits_train = network(features, 3, 0.25, reuse=False, is_training=True)
  logits_test = network(features, 3, 0.25, reuse=True, is_training=False)

  # Predictions
  classes = tf.argmax(logits_test, axis=1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=classes)

  loss_op = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
      logits=logits_test if mode == tf.estimator.ModeKeys.EVAL else logits_train,
      labels=tf.cast(labels, dtype=tf.int32)))
  optimizer = tf.train.AdamOptimizer(learning_rate=0.02)
  train_op = optimizer.minimize(loss_op, global_step=tf.train.get_global_step())
  # How many are right.
  acc_op = tf.metrics.accuracy(labels=labels, predictions=classes)
  specs = tf.estimator.EstimatorSpec(
      mode=mode, predictions=classes, loss=loss_op, train_op=train_op,
      eval_metric_ops={"accuracy": acc_op})
  return specs


def twins_fn(features, labels, mode, params):
  """Two sides of one layer."""
  training = mode == tf.estimator.ModeKeys.TRAIN
  side = tf.layers.Dense(params["units"], tf.nn.tanh, kernel_initializer=uniform(4))
  drop = tf.layers.Dropout(0.3, seed=8)
  left = drop(side(features["left"]), training=training)
  right = side.apply(features["right"])
  parts = []
  for index, one in enumerate([left, right]):
    parts.append(tf.layers.dense(
        one, 2, name="part%d" % index, kernel_initializer=uniform(5 + index)))
  with tf.variable_scope("top", reuse=tf.AUTO_REUSE):
    both = tf.concat(parts, 1)
    both = tf.layers.Dense(4, name="both", kernel_initializer=uniform(7))(both)
    both = tf.layers.BatchNormalization(momentum=0.8)(both, training=training)
  score = tf.squeeze(tf.layers.Dense(1, kernel_initializer=uniform(9))(both), 1)

  predictions = {"score": score}
  predictions["likely"] = tf.sigmoid(score)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)
  loss = tf.losses.sigmoid_cross_entropy(tf.to_float(labels), score)
  ops = dict(mean=tf.metrics.mean(predictions["likely"]))
  # The share that is right.
  ops["accuracy"] = tf.metrics.accuracy(labels, predictions["likely"] > 0.5)
  ops.update({"auc": tf.metrics.auc(labels, predictions["likely"])})
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=ops)
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
        loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(7)
  slices = tf.data.Dataset.from_tensor_slices
  results = {}

  def take(name, estimator, rows):
    estimator.train(lambda: slices(rows).repeat(4).batch(8))
    for key, value in estimator.evaluate(lambda: slices(rows).batch(9)).items():
      results[name + "/eval/" + key] = value
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
    return list(estimator.predict(lambda: slices(rows[0]).batch(10)))

  x = rng.randn(40, 5).astype(np.float32)
  label = np.argmax(x[:, :3], 1)
  results["classes"] = take(
      "graphs", tf.estimator.Estimator(two_graphs_fn, directory + "/graphs"),
      ({"x": x}, label))
  sides = {"left": x[:, :3], "right": x[:, 2:]}
  found = take(
      "twins", tf.estimator.Estimator(
          twins_fn, directory + "/twins", params={"units": 4}),
      (sides, x[:, 0] > x[:, 4]))
  for name in ("score", "likely"):
    results[name] = [p[name] for p in found]
  return results
