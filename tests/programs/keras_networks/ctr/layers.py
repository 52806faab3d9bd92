"""Layers that click models are made of."""

import tensorflow as tf
from tensorflow.contrib import layers


def init(seed):
  return tf.random_uniform_initializer(-0.3, 0.3, seed=seed)


def crossed(x, units, l2):
  """A layer of all inputs, with a penalty."""
  return layers.fully_connected(
      x, units, activation_fn=tf.nn.tanh, weights_initializer=init(1),
      weights_regularizer=layers.l2_regularizer(l2), scope="crossed")


def dense_block(net, units, name, training, rate=0.0):
  with tf.variable_scope(name):
    net = tf.layers.dense(net, units, use_bias=False, kernel_initializer=init(units))
    net = tf.layers.batch_normalization(net, training=training, momentum=0.8)
    net = tf.nn.relu(net)
    if rate > 0:
      net = tf.layers.dropout(net, rate, seed=7, training=training)
  return net
