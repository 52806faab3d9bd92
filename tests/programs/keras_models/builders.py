"""Model functions out of builders, partials and lambdas; what the mode decides in a step."""

import functools

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def told(loss, mode):
  """Counts another part of the loss in evaluation."""
  if mode == tf.estimator.ModeKeys.EVAL:
    return loss * 3.0
  return loss


def model_fn_builder(hidden, rate, weighted=False):
  """Returns a model_fn for this many units."""

  def model_fn(features, labels, mode, params):
    """A regression of two features."""
    print("mode", mode, "params", sorted(params))
    if isinstance(features, dict):
      features = features["x"]
    # One row for each example.
    features = tf.reshape(features, [-1, 3])
    net = features
    for index, units in enumerate(hidden):
      net = tf.layers.dense(
          net, units, tf.nn.relu, name="hidden%d" % index,
          kernel_initializer=uniform(index))
      tf.logging.debug("layer %d: %s", index, net)
    value = tf.squeeze(
        tf.layers.dense(net, 1, kernel_initializer=uniform(9), name="value"), 1)

    if mode == tf.estimator.ModeKeys.PREDICT:
      spec = tf.estimator.EstimatorSpec(mode, predictions={"value": value})
      return spec

    # What is minimised is the mean, what is reported the sum.
    average = tf.losses.mean_squared_error(labels, value)
    average *= 2.0 if weighted and mode == tf.estimator.ModeKeys.TRAIN else 1.0
    average = told(average, mode)
    total = tf.to_float(tf.shape(labels)[0]) * average
    train_op = tf.train.AdagradOptimizer(rate).minimize(
        average, global_step=tf.train.get_global_step()) if (
            mode == tf.estimator.ModeKeys.TRAIN) else None
    value = tf.cast(value, tf.float64)
    return tf.estimator.EstimatorSpec(
        mode, loss=total, train_op=train_op,
        eval_metric_ops={
            "rmse": tf.metrics.root_mean_squared_error(
                tf.cast(labels, tf.float64), value),
        } if mode == tf.estimator.ModeKeys.EVAL else None)

  return model_fn


def scaled_fn(features, labels, mode, scale, offset=0.0):
  """Only ever trained and evaluated."""
  assert mode in (tf.estimator.ModeKeys.TRAIN, tf.estimator.ModeKeys.EVAL)
  value = tf.layers.dense(features["x"], 1, kernel_initializer=uniform(4))
  loss = scale * tf.losses.absolute_difference(labels[:, tf.newaxis], value) + offset
  train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
      loss, tf.train.get_or_create_global_step())
  spec = tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      eval_metric_ops={"mean": tf.metrics.mean(value)})
  return spec


def last_fn(units, features, labels, mode):
  """Gets its first argument by position."""
  logits = tf.layers.dense(features["x"], units, kernel_initializer=uniform(6))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=tf.nn.softmax(logits))
  loss = tf.losses.sparse_softmax_cross_entropy(tf.to_int32(labels > 0), logits)
  if mode == tf.estimator.ModeKeys.TRAIN:
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
  raise ValueError("only to train and predict")


def run(directory):
  rng = np.random.RandomState(5)
  x = rng.randn(48, 3).astype(np.float32)
  y = (x[:, 0] - x[:, 1] * x[:, 2]).astype(np.float32)
  slices = tf.data.Dataset.from_tensor_slices
  batches = lambda: slices(({"x": x}, y)).repeat(3).batch(7)
  results = {}

  def take(name, estimator):
    estimator.train(batches)
    if name != "last":
      for key, value in estimator.evaluate(batches, 4).items():
        results[name + "/eval/" + key] = value
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
    return estimator

  built = take("built", tf.estimator.Estimator(
      model_fn_builder([5, 4], rate=0.1, weighted=True), directory + "/built",
      params={"unused": 1}))
  found = built.predict(lambda: slices({"x": x}).batch(16))
  results["value"] = [p["value"] for p in found]
  maker = model_fn_builder([3], 0.2)
  take("again", tf.estimator.Estimator(
      model_fn=maker, model_dir=directory + "/again", params={}))
  for name, scale in (("one", 1.0), ("two", 2.0)):
    take(name, tf.estimator.Estimator(
        functools.partial(scaled_fn, scale=scale, offset=0.5), directory + "/" + name))
  last = take("last", tf.estimator.Estimator(
      lambda features, labels, mode: last_fn(2, features, labels, mode),
      directory + "/last"))
  results["softmax"] = list(last.predict(lambda: slices({"x": x}).batch(16)))
  return results
