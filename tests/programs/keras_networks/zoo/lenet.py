import tensorflow as tf

layers = tf.contrib.layers


def lenet(x, classes, is_training=True):
  """A small network."""
  net = tf.reshape(x, [-1, 4, 4, 1])
  net = layers.conv2d(
      net, 3, [2, 2], padding="VALID", scope="conv1",
      weights_initializer=tf.random_uniform_initializer(-1, 1, seed=1))
  net = layers.flatten(net)
  net = layers.dropout(net, 1.0, is_training=is_training, scope="dropout")
  return layers.fully_connected(
      net, classes, activation_fn=None, scope="logits",
      weights_initializer=tf.random_uniform_initializer(-1, 1, seed=2))
