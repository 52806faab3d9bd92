"""What a document is."""

import tensorflow as tf

from .blocks import residual


def encode(document, blocks, training):
  """Blocks one after another."""
  net = tf.layers.dense(
      document, 4, name="embed",
      kernel_initializer=tf.random_uniform_initializer(-0.6, 0.6, seed=1))
  for number in range(blocks):
    net = residual(net, 5, "block_%d" % number, 10 * number + 5, training=training)
  return net
