"""What all files of the package use."""

import os

import numpy as np
import tensorflow as tf

HIDDEN = [8, 6]
CLASSES = 3


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def under(directory, name):
  return os.path.join(directory, name)
