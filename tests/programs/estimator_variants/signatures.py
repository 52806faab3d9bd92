"""Every signature of a model_fn and every way to tell the modes apart."""

import functools

import numpy as np
import tensorflow as tf

Modes = tf.estimator.ModeKeys


def spec(features, labels, mode, rate=0.1, units=1):
  """One EstimatorSpec for a mode that is told by its name."""
  w = tf.get_variable("w", [2, units], initializer=tf.ones_initializer())
  y = tf.reduce_sum(tf.matmul(features, w), axis=1)
  if mode == "infer":
    return tf.estimator.EstimatorSpec(mode, predictions=y)
  loss = tf.losses.mean_squared_error(labels, y)
  if mode == "eval":
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={"mean": tf.metrics.mean(y)})
  train_op = tf.train.GradientDescentOptimizer(rate).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def plain(features, labels, mode):
  return spec(features, labels, mode)


def with_params(features, labels, mode, params):
  return spec(features, labels, mode, params["rate"])


def with_config(features, labels, mode, config):
  assert config.tf_random_seed == 7
  return spec(features, labels, mode)


def with_both(features, labels, mode, params, config):
  assert config.tf_random_seed == 7
  return spec(features, labels, mode, params["rate"])


def other_order(features, mode, params, labels):
  return spec(features, labels, mode, params["rate"])


def defaults(features, labels=None, mode=Modes.TRAIN, params=None, config=None):
  return spec(features, labels, mode, (params or {}).get("rate", 0.05))


def wrapped(function):
  @functools.wraps(function)
  def inner(features, labels, mode, params):
    result = function(features * 2, labels, mode, params)
    return result._replace(loss=result.loss)

  return inner


@wrapped
def decorated(features, labels, mode, params):
  return spec(features, labels, mode, params["rate"])


WITHOUT_PARAMS = (
    "plain", "with_config", "method", "of_class", "lambda", "partial",
    "partial_of_method", "in_tuple", "dispatched")


class Builder(object):

  rate = 0.2

  def __init__(self, units):
    self.units = units

  def method(self, features, labels, mode):
    return spec(features, labels, mode, self.rate, self.units)

  @staticmethod
  def static(features, labels, mode, params):
    return spec(features, labels, mode, params["rate"])

  @classmethod
  def of_class(cls, features, labels, mode):
    return spec(features, labels, mode, cls.rate)

  def __call__(self, features, labels, mode, params):
    return spec(features, labels, mode, params["rate"], self.units)


def in_tuple(features, labels, mode):
  w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
  y = tf.reduce_sum(tf.matmul(features, w), axis=1)
  loss = train_op = metrics = None
  if mode in (Modes.TRAIN, Modes.EVAL):
    loss = tf.losses.mean_squared_error(labels, y)
  if mode == Modes.EVAL:
    metrics = {"mean": tf.metrics.mean(y)}
  if mode not in [Modes.PREDICT, Modes.EVAL]:
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, predictions=y, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def dispatched(features, labels, mode):
  w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
  y = tf.reduce_sum(tf.matmul(features, w), axis=1)

  def train():
    loss = tf.losses.mean_squared_error(labels, y)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  def evaluate():
    loss = tf.losses.mean_squared_error(labels, y)
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={"mean": tf.metrics.mean(y)})

  def predict():
    return tf.estimator.EstimatorSpec(mode, predictions=y)

  return {Modes.TRAIN: train, Modes.EVAL: evaluate, Modes.PREDICT: predict}[mode]()


def input_fn():
  x = np.arange(20).reshape(10, 2).astype(np.float32) / 20
  return tf.data.Dataset.from_tensor_slices((x, x[:, 0] - x[:, 1])).batch(5)


def run(directory):
  config = tf.estimator.RunConfig(tf_random_seed=7)
  params = {"rate": 0.3}
  functions = {
      "plain": plain,
      "with_params": with_params,
      "with_config": with_config,
      "with_both": with_both,
      "other_order": other_order,
      "defaults": defaults,
      "decorated": decorated,
      "method": Builder(3).method,
      "static": Builder.static,
      "of_class": Builder.of_class,
      "callable": Builder(2),
      "lambda": lambda features, labels, mode: spec(features, labels, mode, 0.01),
      "partial": functools.partial(spec, rate=0.02, units=2),
      "partial_of_method": functools.partial(Builder(2).method),
      "in_tuple": in_tuple,
      "dispatched": dispatched,
  }
  found = {}
  for name in sorted(functions):
    function = functions[name]
    without = name in WITHOUT_PARAMS
    estimator = tf.estimator.Estimator(
        function, directory + "/" + name, config, None if without else params)
    estimator.train(input_fn)
    metrics = estimator.evaluate(input_fn)
    found[name] = [metrics["loss"], metrics["mean"]]
    found[name + "/p"] = list(estimator.predict(input_fn))
  for name, function, given in (
      ("params that are not taken", plain, params),
      ("no features", lambda labels, mode: None, None),
      ("more than there are", lambda features, labels, mode, rate: None, None)):
    try:
      tf.estimator.Estimator(function, directory, config, given)
      found[name] = "taken"
    except ValueError:
      found[name] = "ValueError"
  return found
