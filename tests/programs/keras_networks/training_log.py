"""What a training wrote of its losses, and what it left."""

import glob
import os

import tensorflow as tf


def losses(directory):
  """The loss of every step, from the events of a model_dir."""
  found = {}
  for path in sorted(glob.glob(os.path.join(directory, "events.*"))):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.tag in ("loss", "loss_1"):
          found[event.step] = value.simple_value
  return [found[step] for step in sorted(found)]


def every_step():
  return tf.estimator.RunConfig(tf_random_seed=1, save_summary_steps=1)


def results(name, estimator, evaluated):
  """Losses by step, evaluation and variables, slots included."""
  found = {name + "/losses": losses(estimator.model_dir)}
  for key, value in evaluated.items():
    found[name + "/eval/" + key] = value
  for key in estimator.get_variable_names():
    found[name + "/variable/" + key] = estimator.get_variable_value(key)
  return found
