"""input_fns that read queues: lines in epochs, a dict with the label in it; slices and shuffling by a seed."""

import os

import numpy as np
import tensorflow as tf


def read(queue):
  _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
  a, b, y = tf.decode_csv(line, [[0.0], [0.0], [0.0]])
  return {"a": a, "b": b}, y


def lines(files, batch_size, num_epochs):
  queue = tf.train.string_input_producer(files, num_epochs=num_epochs, seed=4)
  features, label = read(queue)
  features["label"] = label
  batch = tf.train.batch(features, batch_size, allow_smaller_final_batch=True)
  labels = batch.pop("label")
  return batch, labels


def slices(x, y):
  row, target = tf.train.slice_input_producer([x, y], num_epochs=1, shuffle=False)
  rows, targets = tf.train.batch([row * 2.0, target], 5, num_threads=1)
  return {"a": rows[:, 0], "b": rows[:, 1]}, targets


def model_fn(features, labels, mode):
  x = tf.stack([features["a"], features["b"]], 1)
  w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
  prediction = tf.squeeze(tf.matmul(x, w), 1)
  loss = tf.reduce_mean(tf.square(prediction - labels))
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, global_step=tf.train.get_global_step())
  metrics = {"error": tf.metrics.mean_absolute_error(labels, prediction)}
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def run(directory):
  os.makedirs(directory)
  files = []
  for i in range(3):
    files.append(os.path.join(directory, "%d.csv" % i))
    with open(files[-1], "w") as f:
      f.write("a,b,y\n")
      for j in range(7):
        f.write("%g,%g,%g\n" % (i + j / 8.0, j / 4.0, j - i))
  estimator = tf.estimator.Estimator(model_fn, os.path.join(directory, "model"))
  estimator.train(input_fn=lambda: lines(files, 4, 5))
  found = estimator.evaluate(input_fn=lambda: lines(files, 4, 1))
  x = np.arange(26, dtype=np.float32).reshape(13, 2) / 16
  other = estimator.evaluate(input_fn=lambda: slices(x, x.sum(1)))
  found.update({"sliced_" + name: value for name, value in other.items()})
  return dict(found, w=estimator.get_variable_value("w"))
