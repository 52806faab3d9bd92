"""Prices of houses: the program has its model function, the networks are apart."""

import numpy as np
import tensorflow as tf

import houses_nets as nets
import training_log


def model_fn_builder(rate, hidden):
  """Returns the model function of this rate."""

  def model_fn(features, labels, mode):
    price = nets.mlp(features, hidden_units=hidden)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"price": price})
    loss = tf.losses.mean_squared_error(labels, price)
    metrics = {"rmse": tf.metrics.root_mean_squared_error(labels, price)}
    step = tf.train.get_global_step()
    decayed = tf.train.exponential_decay(rate, step, 4, 0.5, staircase=True)
    train_op = tf.train.AdamOptimizer(decayed).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)

  return model_fn


def run(directory):
  rng = np.random.RandomState(4)
  area = rng.randn(30, 4).astype(np.float32)
  price = np.sin(area.sum(1)).astype(np.float32)
  inputs = tf.estimator.inputs.numpy_input_fn
  estimator = tf.estimator.Estimator(
      model_fn_builder(0.05, (5, 3)), directory, training_log.every_step())
  estimator.train(
      inputs({"area": area}, price, batch_size=6, num_epochs=2, shuffle=False))
  evaluated = estimator.evaluate(
      inputs({"area": area}, price, batch_size=10, num_epochs=1, shuffle=False))
  found = training_log.results("houses", estimator, evaluated)
  found["price"] = [p["price"] for p in estimator.predict(
      inputs({"area": area}, batch_size=10, shuffle=False))]
  return found
