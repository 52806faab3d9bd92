"""Blocks of the encoder."""

import tensorflow as tf


def residual(x, units, name, seed, training):
  """Adds two normalised layers to what it gets."""
  with tf.variable_scope(name):
    net = tf.layers.batch_normalization(x, training=training, momentum=0.7, name="norm")
    net = tf.layers.dense(
        net, units, tf.nn.relu, name="inner",
        kernel_initializer=tf.random_uniform_initializer(-0.6, 0.6, seed=seed))
    net = tf.layers.dense(
        net, x.get_shape().as_list()[-1], name="outer",
        kernel_initializer=tf.random_uniform_initializer(-0.6, 0.6, seed=seed + 1))
  return x + net
