import tensorflow as tf

MARGIN = 0.5


def hinge(labels, scores):
  signs = 2.0 * tf.cast(labels, tf.float32) - 1.0
  return tf.reduce_mean(tf.nn.relu(MARGIN - signs * scores))
