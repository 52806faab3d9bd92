"""Updates that differ by a parameter: each branch makes one, of another optimizer."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def deep_fn(features, labels, mode, params):
  """The optimizer and the loss by name, as CTR models choose them."""
  net = features["x"]
  for i, units in enumerate([6, 4]):
    net = tf.layers.dense(net, units, tf.nn.relu, kernel_initializer=uniform(i))
    if params["batch_norm"]:
      net = tf.layers.batch_normalization(
          net, training=mode == tf.estimator.ModeKeys.TRAIN)
  logits = tf.squeeze(tf.layers.dense(net, 1, kernel_initializer=uniform(9)), -1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"pctr": tf.sigmoid(logits)})

  if params["loss"] == "log_loss":
    loss = tf.reduce_mean(
        tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
  else:
    loss = tf.losses.mean_squared_error(labels, tf.sigmoid(logits))
  metrics = {"mean": tf.metrics.mean(logits)}
  if params["batch_norm"]:
    metrics["auc"] = tf.metrics.auc(labels, tf.sigmoid(logits))
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)

  if params["batch_norm"]:
    tf.summary.scalar("largest", tf.reduce_max(logits))
  rate = params["rate"]
  step = tf.train.get_global_step()
  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  with tf.control_dependencies(update_ops):
    if params["optimizer"] == "Adam":
      # The usual one.
      train_op = tf.train.AdamOptimizer(
          learning_rate=rate, beta1=0.9, beta2=0.999).minimize(loss, global_step=step)
    elif params["optimizer"] == "Adagrad":
      adagrad = tf.train.AdagradOptimizer(rate, initial_accumulator_value=1e-3)
      train_op = adagrad.minimize(loss, global_step=step)
    elif params["optimizer"] == "Momentum":
      train_op = tf.train.MomentumOptimizer(rate, momentum=0.95).minimize(
          loss, global_step=step)
    else:
      raise ValueError("optimizer %s" % params["optimizer"])
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def build(is_training, x, params):
  out = tf.layers.dense(x, 5, use_bias=False, kernel_initializer=uniform(11))
  if params["use_batch_norm"]:
    out = tf.layers.batch_normalization(out, momentum=0.9, training=is_training)
  return tf.layers.dense(tf.nn.tanh(out), 1, kernel_initializer=uniform(12))


def normalised_fn(features, labels, mode, params):
  is_training = mode == tf.estimator.ModeKeys.TRAIN
  out = build(is_training, features["x"], params)
  loss = tf.losses.mean_squared_error(tf.expand_dims(labels, 1), out)
  optimizer = tf.train.AdamOptimizer(0.05)
  global_step = tf.train.get_global_step()
  if params["use_batch_norm"]:
    # The averages move before the variables.
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
      train_op = optimizer.minimize(loss, global_step=global_step)
  else:
    train_op = optimizer.minimize(loss, global_step=global_step)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def create_train_op(loss, name, rate):
  """What trains."""
  step = tf.train.get_or_create_global_step()
  if name == "rms":
    return tf.train.RMSPropOptimizer(rate).minimize(loss, step)
  if name == "ftrl":
    rate = 2 * rate
    return tf.train.FtrlOptimizer(rate).minimize(loss, step)
  return tf.train.GradientDescentOptimizer(rate).minimize(loss, step)


def helped_fn(features, labels, mode, params):
  out = tf.layers.dense(features["x"], 1, kernel_initializer=uniform(21))
  loss = tf.losses.mean_squared_error(tf.expand_dims(labels, 1), out)
  train_op = None
  if mode == tf.estimator.ModeKeys.TRAIN:
    train_op = create_train_op(loss, params["name"], 0.02)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def clipped_fn(features, labels, mode, params):
  net = tf.layers.dense(features["x"], 5, tf.nn.tanh, kernel_initializer=uniform(31))
  out = tf.layers.dense(net, 1, kernel_initializer=uniform(32))
  loss = 10 * tf.losses.mean_squared_error(tf.expand_dims(labels, 1), out)
  optimizer = tf.train.AdamOptimizer(0.05)
  if params["clip"] > 0:
    # Not too far at once.
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, _ = tf.clip_by_global_norm(gradients, params["clip"])
    train_op = optimizer.apply_gradients(
        zip(gradients, variables), global_step=tf.train.get_global_step())
  else:
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def shorter_fn(features, labels, mode, params):
  out = tf.layers.dense(features["x"], 1, kernel_initializer=uniform(41))
  loss = tf.losses.absolute_difference(tf.expand_dims(labels, 1), out)
  step = tf.train.get_global_step()
  train_op = (
      tf.train.AdamOptimizer(0.02).minimize(loss, step) if params["adam"]
      else tf.train.GradientDescentOptimizer(0.1).minimize(loss, step))
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(21)
  x = rng.uniform(-1, 1, (60, 5)).astype(np.float32)
  y = (x.sum(axis=1) > 0).astype(np.float32)
  results = {}
  for name, loss, batch_norm in (
      ("Adam", "log_loss", True),
      ("Adagrad", "squares", False),
      ("Momentum", "log_loss", False),
  ):
    results.update(trained(name, tf.estimator.Estimator(
        deep_fn, directory + "/" + name, params={
            "optimizer": name, "loss": loss, "batch_norm": batch_norm, "rate": 0.02,
        }), x, y))
  for name, params in (("normal", True), ("plain", False)):
    results.update(trained(name, tf.estimator.Estimator(
        normalised_fn, directory + "/" + name, params={"use_batch_norm": params}), x, y))
  for name in ("rms", "ftrl", "sgd"):
    results.update(trained(name, tf.estimator.Estimator(
        helped_fn, directory + "/" + name, params={"name": name}), x, y))
  for name, clip in (("clipped", 0.5), ("free", 0)):
    results.update(trained(name, tf.estimator.Estimator(
        clipped_fn, directory + "/" + name, params={"clip": clip}), x, y))
  for name, adam in (("short", True), ("shorter", False)):
    results.update(trained(name, tf.estimator.Estimator(
        shorter_fn, directory + "/" + name, params={"adam": adam}), x, y))
  return results


def trained(name, estimator, x, y):
  """The loss after every two steps, and the variables, slots included."""
  slices = tf.data.Dataset.from_tensor_slices
  results, losses = {}, []
  for step in range(2):
    estimator.train(
        lambda: slices(({"x": x}, y)).skip(20 * step).batch(10), steps=2)
    evaluated = estimator.evaluate(lambda: slices(({"x": x}, y)).batch(20))
    losses.append(evaluated["loss"])
    for key in evaluated:
      results["%s/eval/%d/%s" % (name, step, key)] = evaluated[key]
  results[name + "/losses"] = losses
  for key in estimator.get_variable_names():
    results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
