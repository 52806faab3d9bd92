"""The network of the faces, which is told the mode."""

import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.4, 0.4, seed=seed)


def embedding(images, mode, params):
  """Blocks of convolutions, then a vector."""
  # Averages move, and units are dropped, where it trains.
  is_training = (mode == tf.estimator.ModeKeys.TRAIN)

  out = tf.reshape(images, [-1, 8, 8, 1])
  for i, c in enumerate(params["channels"]):
    with tf.variable_scope("block_{}".format(i + 1)):
      out = tf.layers.conv2d(
          out, c, 3, padding="same", kernel_initializer=uniform(i))
      if params["use_batch_norm"]:
        out = tf.layers.batch_normalization(
            out, momentum=params["momentum"], training=is_training)
      out = tf.nn.relu(out)
      with tf.name_scope("pool"):
        out = tf.layers.max_pooling2d(out, 2, 2)

  assert out.shape[1:] == [2, 2, params["channels"][-1]]
  out = tf.layers.flatten(out)
  if is_training:
    # Not where it only looks.
    out = tf.layers.dropout(out, 0.3, seed=4, training=is_training)
  with tf.variable_scope("fc_1"):
    return tf.layers.dense(out, params["size"], kernel_initializer=uniform(7))


def classify(vector, mode):
  with tf.variable_scope("classes"):
    vector = tf.layers.batch_normalization(
        vector, momentum=0.6, training=mode == tf.estimator.ModeKeys.TRAIN)
    return tf.layers.dense(vector, 2, kernel_initializer=uniform(9), name="logits")
