"""Averages of the variables: moved after every update, restored where it evaluates."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def model_fn(features, labels, mode, params):
  net = tf.layers.dense(features["x"], 5, tf.nn.relu, kernel_initializer=uniform(1))
  net = tf.layers.batch_normalization(
      net, momentum=0.8, training=mode == tf.estimator.ModeKeys.TRAIN)
  y = tf.layers.dense(net, 1, kernel_initializer=uniform(2), name="y")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
  loss = tf.losses.mean_squared_error(labels, y)
  ema = tf.train.ExponentialMovingAverage(params["decay"])
  if mode == tf.estimator.ModeKeys.EVAL:
    # What is evaluated are the averages.
    saver = tf.train.Saver(ema.variables_to_restore())
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, scaffold=tf.train.Scaffold(saver=saver),
        eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, y)})
  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  with tf.control_dependencies(update_ops):
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
        loss, tf.train.get_global_step())
  # Averages of all variables that are trained.
  with tf.control_dependencies([train_op]):
    train_op = ema.apply(tf.trainable_variables())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def table_fn(features, labels, mode, params):
  """A network of variables; the decay grows with the steps."""
  table = tf.get_variable("table", [12, 3], initializer=uniform(3))
  rows = tf.nn.embedding_lookup(table, features["ids"])
  logits = tf.layers.dense(tf.reduce_mean(rows, 1), 3, kernel_initializer=uniform(4))
  classes = tf.argmax(logits, 1)
  scaffold = None
  averages = tf.train.ExponentialMovingAverage(
      decay=params["decay"], num_updates=tf.train.get_or_create_global_step())
  if mode != tf.estimator.ModeKeys.TRAIN:
    averaged = averages.variables_to_restore()
    scaffold = tf.train.Scaffold(saver=tf.train.Saver(averaged))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"classes": classes, "logits": logits}, scaffold=scaffold)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, scaffold=scaffold,
        eval_metric_ops={"accuracy": tf.metrics.accuracy(labels, classes)})
  global_step = tf.train.get_or_create_global_step()
  optimizer = tf.train.AdagradOptimizer(0.5)
  grads_and_vars = optimizer.compute_gradients(loss)
  apply_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
  with tf.control_dependencies([apply_op]):
    average_op = averages.apply()
  with tf.control_dependencies([average_op]):
    train_op = tf.no_op(name="train")
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(6)
  count = 48
  x = rng.randn(count, 3).astype(np.float32)
  y = np.tanh(x.sum(1, keepdims=True)).astype(np.float32)
  ids = rng.randint(12, size=[count, 4]).astype(np.int64)
  label = (ids.sum(1) % 3).astype(np.int64)
  slices = tf.data.Dataset.from_tensor_slices

  results = {}
  for name, estimator, rows in (
      ("dense", tf.estimator.Estimator(
          model_fn, directory + "/dense", params={"decay": 0.7}), ({"x": x}, y)),
      ("table", tf.estimator.Estimator(
          table_fn, directory + "/table", params={"decay": 0.6}),
       ({"ids": ids}, label)),
  ):
    estimator.train(lambda: slices(rows).repeat(2).batch(8))
    evaluated = estimator.evaluate(lambda: slices(rows).batch(12))
    results.update({name + "/eval/" + k: v for k, v in evaluated.items()})
    # Goes on from the averages that it saved.
    estimator.train(lambda: slices(rows).batch(8), steps=3)
    evaluated = estimator.evaluate(lambda: slices(rows).batch(12))
    results.update({name + "/later/" + k: v for k, v in evaluated.items()})
    predicted = list(estimator.predict(lambda: slices(rows[0]).batch(12)))
    for key in predicted[0]:
      results[name + "/predicted/" + key] = [p[key] for p in predicted]
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
