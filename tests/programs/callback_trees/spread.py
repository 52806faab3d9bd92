"""Trains a model of one file with hooks of another."""

import contextlib
import io

import numpy as np
import tensorflow as tf

from common import hooks
from common.network import model_fn


def input_fn():
  x = np.random.RandomState(3).rand(40, 4).astype(np.float32)
  y = (x[:, :1] * x[:, 1:2] - x[:, 2:3]).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(8)


def main(directory):
  estimator = tf.estimator.Estimator(
      model_fn=model_fn,
      model_dir=directory,
      params={"hidden": 5, "rate": 0.1, "enough": 0.03})
  counter = hooks.BatchesHook("trained on")
  estimator.train(
      input_fn,
      hooks=[hooks.ExamplesCounterHook(batch_size=8, every_n_steps=5),
             hooks.ThroughputHook(batch_size=8), counter],
      max_steps=100)
  found = estimator.evaluate(
      input_fn, steps=3, hooks=[hooks.BatchesHook("evaluated on")])
  print("after %d of %d: %.4f %.4f" % (
      counter.count, found["global_step"], found["loss"], found["mae"]))
  predicted = estimator.predict(
      lambda: input_fn().take(2), hooks=[hooks.BatchesHook("predicted on")])
  print(sum(1 for _ in predicted))


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  return {"lines": printed.getvalue().splitlines()}
