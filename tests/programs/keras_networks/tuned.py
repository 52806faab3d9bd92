"""Model functions whose optimizers, losses and metrics are of another file."""

import numpy as np
import tensorflow as tf

import training_log
import tuned_training
from tuned_training import get_metrics, get_optimizer


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def warmed_fn(features, labels, mode, params):
  """Adam, which `create_optimizer` makes and applies."""
  net = tf.layers.dense(features["x"], 6, tf.nn.relu, kernel_initializer=uniform(1))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tuned_training.get_loss(labels, logits, 0.1)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops=get_metrics(labels, logits))
  train_op = tuned_training.create_optimizer(
      loss, params["rate"], num_train_steps=params["steps"] + 5)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def falling_fn(features, labels, mode, params):
  """Momentum, which `get_optimizer` makes."""
  logits = tf.layers.dense(features["x"], 3, kernel_initializer=uniform(3))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  metrics = get_metrics(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
  optimizer = get_optimizer(params)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(6)
  x = rng.randn(30, 4).astype(np.float32)
  y = np.digitize(x.sum(1), [-1, 1]).astype(np.int32)
  inputs = tf.estimator.inputs.numpy_input_fn
  found = {}
  warmed = tf.estimator.Estimator(
      warmed_fn, directory + "/warmed", training_log.every_step(),
      {"rate": 0.05, "steps": 15})
  falling = tf.estimator.Estimator(
      falling_fn, directory + "/falling", training_log.every_step(), {"rate": 0.2})
  for name, estimator in (("warmed", warmed), ("falling", falling)):
    estimator.train(
        inputs({"x": x}, y, batch_size=6, num_epochs=3, shuffle=False))
    evaluated = estimator.evaluate(
        inputs({"x": x}, y, batch_size=10, num_epochs=1, shuffle=False))
    found.update(training_log.results(name, estimator, evaluated))
    found[name + "/logits"] = [p["logits"] for p in estimator.predict(
        inputs({"x": x}, batch_size=10, shuffle=False))]
  return found
