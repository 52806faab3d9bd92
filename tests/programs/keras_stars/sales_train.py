"""Trains a model whose parts come by stars."""

from sales.model import *
from sales.inputs import *


def make(directory):
  return tf.estimator.Estimator(
      model_fn=sales_model_fn, model_dir=under(directory, "sales"),
      params={"hidden": HIDDEN, "learning_rate": 0.1})


def run(directory):
  estimator = make(directory)
  estimator.train(lambda: train_input_fn(8))
  results = {}
  for key, value in estimator.evaluate(lambda: eval_input_fn(10)).items():
    results["eval/" + key] = value
  for key in estimator.get_variable_names():
    results["variable/" + key] = estimator.get_variable_value(key)
  return results
