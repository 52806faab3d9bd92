"""Evaluates the digits' latest checkpoint."""

import tensorflow as tf

from digits_model import model_fn


def evaluate(directory, params, input_fn):
  classifier = tf.estimator.Estimator(
      model_fn=model_fn, model_dir=directory, params=params)
  return classifier.evaluate(input_fn=input_fn)
