"""Recurrent networks: cells one upon the other, both directions, sequences of any length."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.4, 0.4, seed=seed)


def words_fn(features, labels, mode, params):
  """An LSTM over words, of which a sequence has as many as it says."""
  table = tf.get_variable("table", [12, 4], initializer=uniform(1))
  rows = tf.nn.embedding_lookup(table, features["ids"])
  # The first layer, and one upon it.
  cells = [
      tf.nn.rnn_cell.LSTMCell(units, initializer=uniform(2 + i))
      for i, units in enumerate(params["units"])]
  cell = tf.nn.rnn_cell.MultiRNNCell(cells)
  outputs, state = tf.nn.dynamic_rnn(
      cell, rows, sequence_length=features["length"], dtype=tf.float32)
  net = tf.concat([tf.reduce_mean(outputs, 1), state[-1].h], 1)
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(5))
  classes = tf.argmax(logits, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"classes": classes, "logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    metrics = {"accuracy": tf.metrics.accuracy(labels, classes)}
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
  optimizer = tf.train.AdamOptimizer(params["rate"])
  gradients, variables = zip(*optimizer.compute_gradients(loss))
  gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
  train_op = optimizer.apply_gradients(
      zip(gradients, variables), tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def both_ways_fn(features, labels, mode):
  """GRUs in both directions."""
  net = tf.layers.dense(features["x"], 3, tf.tanh, kernel_initializer=uniform(6))
  keep = 1.0 if mode == tf.estimator.ModeKeys.TRAIN else 1.0
  forward = tf.contrib.rnn.GRUCell(4, kernel_initializer=uniform(7))
  backward = tf.contrib.rnn.GRUCell(4, kernel_initializer=uniform(8))
  dropped = tf.contrib.rnn.DropoutWrapper(forward, output_keep_prob=keep)
  with tf.variable_scope("both"):
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        dropped, backward, net, dtype=tf.float32, scope="ways")
  net = tf.concat([outputs[0][:, -1], outputs[1][:, 0], states[1]], 1)
  y = tf.layers.dense(net, 1, kernel_initializer=uniform(9), name="y")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
  loss = tf.losses.mean_squared_error(tf.to_float(tf.expand_dims(labels, 1)), y)
  train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(15)
  count = 40
  length = rng.randint(1, 6, size=count).astype(np.int32)
  label = (length % 3).astype(np.int64)
  features = {
      "ids": rng.randint(12, size=[count, 5]).astype(np.int64),
      "length": length,
      "x": rng.randn(count, 4, 2).astype(np.float32),
  }
  slices = tf.data.Dataset.from_tensor_slices
  results = {}
  for name, estimator in (
      ("words", tf.estimator.Estimator(
          words_fn, directory + "/words", params={"units": [5, 4], "rate": 0.02})),
      ("ways", tf.estimator.Estimator(both_ways_fn, directory + "/ways")),
  ):
    estimator.train(lambda: slices((features, label)).repeat().batch(8), steps=15)
    evaluated = estimator.evaluate(lambda: slices((features, label)).batch(10))
    results.update({name + "/eval/" + k: v for k, v in evaluated.items()})
    predicted = list(estimator.predict(lambda: slices(features).batch(10)))
    for key in predicted[0]:
      results[name + "/predicted/" + key] = [p[key] for p in predicted]
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
