import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def hidden(x, units, name):
  """One layer, and twice its input where it is that wide."""
  out = tf.layers.dense(x, units, tf.nn.tanh, kernel_initializer=uniform(units), name=name)
  return out
