"""Builds the digits network.

Implements the inference/loss pattern for model building.

1. inference() - Builds the model as far as required for running the network forward
to make predictions.
2. loss() - Adds to the inference model the layers required to generate loss.
"""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow as tf

NUM_CLASSES = 3
IMAGE_SIZE = 6


def _uniform(seed):
  return tf.random_uniform_initializer(-0.4, 0.4, seed=seed)


def inference(images, hidden_units, is_training):
  """Builds the model up to where it may be used for inference.

  Args:
    images: Images, flat.
    hidden_units: Size of the hidden layer.
    is_training: Whether averages of batches are moved.

  Returns:
    logits: Output tensor with the computed logits.
  """
  images = tf.reshape(images, [-1, IMAGE_SIZE, IMAGE_SIZE, 1])
  # Convolution
  with tf.variable_scope('conv1'):
    net = tf.layers.conv2d(images, 4, 3, padding='same', kernel_initializer=_uniform(1))
    net = tf.layers.batch_normalization(net, momentum=0.9, training=is_training)
    net = tf.nn.relu(net)
    net = tf.layers.max_pooling2d(net, 2, 2)
  # Hidden
  with tf.variable_scope('hidden'):
    net = tf.layers.flatten(net)
    net = tf.layers.dense(net, hidden_units, tf.nn.relu, kernel_initializer=_uniform(2))
    net = tf.layers.dropout(net, 0.4, seed=5, training=is_training)
  # Linear
  with tf.variable_scope('softmax_linear'):
    logits = tf.layers.dense(net, NUM_CLASSES, kernel_initializer=_uniform(3))
  return logits


def loss(logits, labels):
  """Calculates the loss from the logits and the labels."""
  labels = tf.to_int64(labels)
  return tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
