"""Model functions, activations and losses among which a program chooses by name."""

import numpy as np
import tensorflow as tf

LOSSES = {
    "squares": tf.losses.mean_squared_error,
    "absolute": tf.losses.absolute_difference,
}


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def activation(name):
  """What a layer's outputs go through."""
  if name == "relu":
    return tf.nn.relu
  elif name == "tanh":
    return tf.nn.tanh
  raise ValueError(name)


def layer(x, units, act, seed):
  h = tf.layers.dense(x, units, kernel_initializer=uniform(seed))
  return act(h)


def deep_fn(features, labels, mode, params):
  act = activation(params["act"])
  net = layer(features["x"], 6, act, 1)
  net = tf.layers.dense(net, 4, activation=params["inner"], kernel_initializer=uniform(2))
  out = tf.layers.dense(net, 1, kernel_initializer=uniform(3))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"out": out})
  labels = tf.expand_dims(labels, 1)
  if params["loss"] == "huber":
    loss_fn = tf.losses.huber_loss
  else:
    loss_fn = LOSSES[params["loss"]]
  loss = loss_fn(labels, out)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  train_op = tf.train.AdamOptimizer(0.02).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def wide_fn(features, labels, mode):
  """A line; its error has no name."""
  if features["x"].shape[1] > 4:
    squash = tf.nn.tanh
  else:
    squash = tf.nn.sigmoid
  out = squash(tf.layers.dense(features["x"], 1, kernel_initializer=uniform(4)))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"out": out})
  error = tf.squared_difference(tf.expand_dims(labels, 1), out)
  return tf.estimator.EstimatorSpec(
      mode,
      loss=tf.reduce_mean(error),
      train_op=tf.train.GradientDescentOptimizer(0.2).minimize(
          tf.reduce_sum(error), global_step=tf.train.get_global_step()))


def crossed_fn_builder(seed):
  def crossed_fn(features, labels, mode):
    x = features["x"]
    crossed = tf.concat([x, x[:, :1] * x[:, 1:]], axis=1)
    out = tf.layers.dense(crossed, 1, kernel_initializer=uniform(seed))
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"out": out})
    loss = tf.losses.absolute_difference(tf.expand_dims(labels, 1), out)
    train_op = tf.train.AdagradOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  return crossed_fn


MODELS = {"wide": wide_fn, "crossed": crossed_fn_builder(5)}


def make_estimator(directory, model_fn, params=None):
  return tf.estimator.Estimator(model_fn, model_dir=directory, params=params)


def train(name, estimator, x, y):
  """The loss after every two steps, the variables, and what is predicted."""
  slices = tf.data.Dataset.from_tensor_slices
  results, losses = {}, []
  for step in range(2):
    estimator.train(
        lambda: slices(({"x": x}, y)).skip(20 * step).batch(10), steps=2)
    losses.append(estimator.evaluate(
        lambda: slices(({"x": x}, y)).batch(20))["loss"])
  results[name + "/losses"] = losses
  for key in estimator.get_variable_names():
    results[name + "/variable/" + key] = estimator.get_variable_value(key)
  results[name + "/out"] = [
      p["out"] for p in estimator.predict(lambda: slices({"x": x}).batch(20))]
  return results


def run(directory):
  rng = np.random.RandomState(22)
  x = rng.uniform(-1, 1, (60, 5)).astype(np.float32)
  y = (x.sum(axis=1) > 0).astype(np.float32)
  results = {}
  for act, inner, loss in (
      ("relu", tf.nn.tanh, "huber"), ("tanh", None, "absolute")):
    name = "deep_" + act
    params = {"act": act, "inner": inner, "loss": loss}
    results.update(train(name, make_estimator(
        directory + "/" + name, deep_fn, params=params), x, y))
  for name in sorted(MODELS):
    estimator = tf.estimator.Estimator(MODELS[name], directory + "/" + name)
    results.update(train(name, estimator, x, y))
  for name in ("line", "curve"):
    if name == "line":
      model_fn = line_fn
    else:
      model_fn = curve_fn
    results.update(train(name, make_estimator(directory + "/" + name, model_fn), x, y))
  return results


def line_fn(features, labels, mode):
  out = tf.layers.dense(features["x"], 1, kernel_initializer=uniform(6))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"out": out})
  loss = tf.losses.mean_squared_error(tf.expand_dims(labels, 1), out)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def curve_fn(features, labels, mode):
  out = tf.layers.dense(features["x"] ** 2, 1, kernel_initializer=uniform(7))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"out": out})
  loss = tf.losses.mean_squared_error(tf.expand_dims(labels, 1), out)
  train_op = tf.train.AdamOptimizer(0.1).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
