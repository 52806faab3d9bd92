"""Trains the ranker."""

import numpy as np
import tensorflow as tf

import training_log
from ranker import model


def run(directory):
  rng = np.random.RandomState(8)
  documents = rng.randn(30, 6).astype(np.float32)
  labels = documents[:, 0] > documents[:, 1]
  slices = tf.data.Dataset.from_tensor_slices
  estimator = tf.estimator.Estimator(
      model.build_model_fn(0.2), directory, training_log.every_step(), params={})
  for _ in range(2):
    estimator.train(
        lambda: slices(({"document": documents}, labels)).repeat().batch(10), steps=4)
  evaluated = estimator.evaluate(
      lambda: slices(({"document": documents}, labels)).batch(10))
  found = training_log.results("ranker", estimator, evaluated)
  predicted = list(estimator.predict(
      lambda: slices({"document": documents}).batch(10)))
  found["score"] = [p["score"] for p in predicted]
  found["code"] = [p["code"] for p in predicted]
  return found
