"""A recurrent model_fn of two arguments more; input as constants; losses as a reader has them."""

from __future__ import print_function

import os
import sys

import numpy as np
import tensorflow as tf

STEPS, WIDTH = 4, 3


def sequences(rows, seed):
  rng = np.random.RandomState(seed)
  x = rng.randn(rows, STEPS, WIDTH).astype(np.float32)
  y = (x[:, :, 0].sum(axis=1) > 0).astype(np.int32)
  return x, y


def train_input():
  x, y = sequences(16, 1)
  return tf.constant(x), tf.constant(y)


def my_model(features, mode, labels=None):
  with tf.variable_scope("rnn"):
    cells = [tf.nn.rnn_cell.LSTMCell(5, name="lstm"), tf.nn.rnn_cell.GRUCell(4)]
    cell = tf.nn.rnn_cell.MultiRNNCell(cells)
    outputs, state = tf.nn.dynamic_rnn(cell, features, dtype=tf.float32)
  logits = tf.layers.Dense(2, name="logits")(outputs[:, -1])
  classes = tf.argmax(input=logits, axis=1)
  spec = tf.estimator.EstimatorSpec
  if mode == tf.estimator.ModeKeys.PREDICT:
    return spec(mode, predictions={"class": classes, "state": state[1]})

  # Everything is built for both modes; only what a mode needs is run.
  loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
  train_op = tf.train.AdamOptimizer(0.05).minimize(
      loss, global_step=tf.train.get_global_step())
  metrics = {"accuracy": tf.metrics.accuracy(labels=labels, predictions=classes)}
  return spec(mode=mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def main(directory):
  config = tf.estimator.RunConfig(save_checkpoints_steps=50)
  estimator = tf.estimator.Estimator(
      my_model, model_dir=os.path.join(directory, "model"), config=config)
  for _ in range(2):
    estimator.train(train_input, steps=12)
  x, y = sequences(9, 2)
  evaluation = estimator.evaluate(
      tf.estimator.inputs.numpy_input_fn(x, y, batch_size=4, num_epochs=2, shuffle=False))
  predictions = estimator.predict(
      tf.estimator.inputs.numpy_input_fn(x, batch_size=4, shuffle=False),
      yield_single_examples=False)
  results = {"eval/" + name: value for name, value in evaluation.items()}
  results["state"] = np.concatenate([p["state"] for p in predictions])
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  np.savez(os.path.join(directory, "results.npz"), **results)


if __name__ == "__main__":
  main([a.split("=")[1] for a in sys.argv if a.startswith("--dir=")][0])
