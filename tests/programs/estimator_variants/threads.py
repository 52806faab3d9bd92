"""Input of arrays by several threads, in several epochs, and drawn at random; the order of metrics."""

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
  y = tf.layers.dense(
    features["x"], 1, kernel_initializer=tf.ones_initializer(), name="d"
  )
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, {"y": y})
  loss = tf.losses.mean_squared_error(labels, y)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
    loss, tf.train.get_global_step()
  )
  metrics = {
    "rows": tf.metrics.mean(tf.to_float(tf.shape(labels)[0])),
    "bias": tf.metrics.mean(labels - y),
    "mse": tf.metrics.mean_squared_error(labels, y),
  }
  return tf.estimator.EstimatorSpec(
    mode, None, loss, train_op, eval_metric_ops=metrics
  )


X = np.arange(6, dtype=np.float32).reshape(6, 1) / 10
Y = 2 * X + 1


def input_fn(shuffle, epochs, threads, x=X, y=Y, batch=4, **options):
  return tf.estimator.inputs.numpy_input_fn(
    {"x": x},
    y,
    batch_size=batch,
    num_epochs=epochs,
    shuffle=shuffle,
    num_threads=threads,
    **options
  )


def first_rows(directory):
  """The first row of each of twenty trainings with a thousand rows and a small queue."""
  found = []
  x = np.arange(1000, dtype=np.float32).reshape(1000, 1)
  estimator = tf.estimator.Estimator(model_fn, directory)
  for _ in range(20):
    rows = estimator.predict(input_fn(True, 1, 1, x, x, 1, queue_capacity=4))
    found.append(next(rows)["y"][0])
  return found


def run(directory):
  r = {}
  for shuffle in (False, True):
    for epochs in (1, 2):
      for threads in (1, 3):
        name = "%d_%d_%d" % (shuffle, epochs, threads)
        estimator = tf.estimator.Estimator(model_fn, directory + "/" + name)
        estimator.train(input_fn(shuffle, epochs, threads))
        r[name] = estimator.get_variable_value("global_step")
        if threads == 1 and not shuffle:
          r[name + "/kernel"] = estimator.get_variable_value("d/kernel")
        metrics = estimator.evaluate(input_fn(shuffle, epochs, threads, batch=6))
        assert metrics.pop("global_step") == r[name]
        r[name + "/order"] = [sorted(metrics).index(k) for k in metrics]
        r[name + "/rows"] = metrics["rows"]
        if threads == 1:
          predicted = list(
            estimator.predict(input_fn(shuffle, epochs, threads, batch=6))
          )
          r[name + "/sum"] = len(predicted)

  # The rows of one epoch are no longer together where the queue holds several.
  estimator = tf.estimator.Estimator(model_fn, directory + "/mixed")
  rows = [p["y"][0] for p in estimator.predict(input_fn(True, 50, 1, batch=6))]
  epochs = np.reshape(rows, [50, 6])
  r["mixed"] = any(len(set(epoch)) < 6 for epoch in epochs)
  r["mixed/each"] = np.unique(rows, return_counts=True)[1]
  r["starts"] = max(first_rows(directory + "/starts")) > 100
  return r
