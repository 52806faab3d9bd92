"""One name for the input of training, then of evaluation, then of prediction."""

import numpy as np
import tensorflow as tf


def linear_fn(features, labels, mode, params):
  logits = tf.layers.dense(
      features["x"], 3, name="logits",
      kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=3))
  classes = tf.argmax(logits, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"classes": classes})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = tf.train.MomentumOptimizer(params["rate"], 0.9).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, predictions={"classes": classes}, loss=loss, train_op=train_op,
      eval_metric_ops={"accuracy": tf.metrics.accuracy(labels, classes)})


def run(directory):
  rng = np.random.RandomState(4)
  x = rng.randn(60, 5).astype(np.float32)
  y = (x.sum(1) > 0).astype(np.int64) + (x[:, 0] > 1)
  x_test, y_test = x[40:], y[40:]

  model = tf.estimator.Estimator(linear_fn, directory + "/model", params={"rate": 0.1})
  # The input of training
  input_fn = tf.estimator.inputs.numpy_input_fn(
      x={"x": x[:40]}, y=y[:40], batch_size=8, num_epochs=None, shuffle=False)
  model.train(input_fn, steps=12)

  # The input of evaluation
  input_fn = tf.estimator.inputs.numpy_input_fn(
      x={"x": x_test}, y=y_test, batch_size=8, shuffle=False)
  evaluated = model.evaluate(input_fn)

  input_fn = tf.estimator.inputs.numpy_input_fn(
      x={"x": x_test[:4]}, shuffle=False)
  predicted = list(model.predict(input_fn))

  results = {"evaluated/" + k: v for k, v in evaluated.items()}
  results["predicted"] = [p["classes"] for p in predicted]
  for name in model.get_variable_names():
    results["variable/" + name] = model.get_variable_value(name)
  return results
