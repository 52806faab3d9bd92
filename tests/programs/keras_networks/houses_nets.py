"""Networks for prices."""
import tensorflow as tf

import houses_layers as L


def mlp(features, hidden_units):
  """Layers of these sizes, then a price."""
  with tf.variable_scope("mlp"):
    net = features["area"]
    for i, units in enumerate(hidden_units):
      net = L.hidden(net, units, "fc{}".format(i))
    price = tf.layers.dense(net, 1, kernel_initializer=L.uniform(9))
  return tf.squeeze(price, [1])
