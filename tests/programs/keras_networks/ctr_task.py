"""Trains and evaluates the click model."""

import numpy as np
import tensorflow as tf

import training_log
from ctr import model


def run(directory):
  rng = np.random.RandomState(3)
  x = {"user": rng.randn(40, 3).astype(np.float32),
       "item": rng.randn(40, 2).astype(np.float32)}
  y = (x["user"][:, 0] * x["item"][:, 1] > 0).astype(np.int64)
  slices = tf.data.Dataset.from_tensor_slices
  estimator = tf.estimator.Estimator(
      model.click_model_fn, directory, training_log.every_step(),
      {"hidden": [6, 4], "dropout": 0.25, "l2": 0.01, "rate": 0.1})
  train_spec = tf.estimator.TrainSpec(
      lambda: slices((x, y)).repeat().batch(8), max_steps=10)
  eval_spec = tf.estimator.EvalSpec(
      lambda: slices((x, y)).batch(16), steps=None, start_delay_secs=0)
  evaluated, _ = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
  found = training_log.results("ctr", estimator, evaluated)
  found["click"] = [p["click"] for p in estimator.predict(
      lambda: slices(x).batch(16))]
  return found
