"""Exports the digits' latest checkpoint."""

import tensorflow as tf

from digits_model import model_fn


def serving_input_fn():
  image = tf.placeholder(tf.float32, [None, 36], name='image')
  return tf.estimator.export.ServingInputReceiver({'image': image}, {'image': image})


def export(directory, params, target):
  classifier = tf.estimator.Estimator(model_fn, directory, params=params)
  return classifier.export_savedmodel(target, serving_input_fn)
