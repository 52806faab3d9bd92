"""The network."""

from .common import *


def build_deep_layers(x, training, params):
  """Layers of the sizes that the parameters say."""
  net = x
  for i, units in enumerate(params["hidden"]):
    net = tf.layers.dense(
        net, units, tf.nn.tanh, kernel_initializer=uniform(i), name="hidden_%d" % i)
    net = tf.layers.batch_normalization(net, training=training, momentum=0.9)
  return net
