"""Trains it a little, and predicts with another Estimator of the same model function."""

import numpy as np

from sales.inputs import eval_input_fn
from sales.inputs import train_input_fn
from sales.model import *


def run(directory):
  params = {"hidden": HIDDEN, "learning_rate": 0.2}
  config = tf.estimator.RunConfig(model_dir=under(directory, "predicted"))
  tf.estimator.Estimator(sales_model_fn, params=params, config=config).train(
      lambda: train_input_fn(12), steps=5)
  predicting = tf.estimator.Estimator(
      model_fn=sales_model_fn, params=params, config=config)
  found = list(predicting.predict(lambda: eval_input_fn(7)))
  return {
      "class": np.array([p["class"] for p in found]),
      "scores": np.array([p["scores"] for p in found]),
  }
