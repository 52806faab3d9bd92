"""Trains the digits."""

import numpy as np
import tensorflow as tf

import digits_evaluate
import digits_export
import training_log
from digits_model import model_fn

PARAMS = {'hidden_units': 8, 'learning_rate': 0.05}


def train(directory, input_fn, steps):
  classifier = tf.estimator.Estimator(
      model_fn=model_fn, model_dir=directory, params=PARAMS,
      config=training_log.every_step())
  classifier.train(input_fn, steps=steps)
  return classifier


def run(directory):
  rng = np.random.RandomState(0)
  images = rng.rand(60, 36).astype(np.float32)
  labels = (images[:, :12].sum(1) > 6).astype(np.int64) + (images[:, 20] > 0.5)

  def train_input_fn():
    data = tf.data.Dataset.from_tensor_slices(({'image': images}, labels))
    return data.repeat().batch(12)

  def eval_input_fn():
    return tf.data.Dataset.from_tensor_slices(({'image': images}, labels)).batch(25)

  train(directory, train_input_fn, 6)
  # From its own checkpoint.
  classifier = train(directory, train_input_fn, 4)
  evaluated = digits_evaluate.evaluate(directory, PARAMS, eval_input_fn)
  found = training_log.results('digits', classifier, evaluated)
  digits_export.export(directory, PARAMS, directory + '_export')
  predicted = list(classifier.predict(eval_input_fn))
  found['classes'] = [p['classes'] for p in predicted]
  found['probabilities'] = [p['probabilities'] for p in predicted]
  return found
