"""Random choices of helpers; with a seed they are TF1's."""

import tensorflow as tf


def draw_ids(logits, seed):
    """An id for each row of logits [..., classes], by its probability; int32."""
    classes = tf.shape(logits)[-1]
    rows = logits if logits.shape.rank == 2 else tf.reshape(logits, [-1, classes])
    dtype = tf.int64 if logits.dtype.size > 4 else tf.int32
    drawn = tf.random.categorical(rows, 1, dtype=dtype, seed=seed)
    return tf.cast(tf.reshape(drawn, tf.shape(logits)[:-1]), tf.int32)


def draw_choices(probability, count, seed):
    """True with a probability, for each of a number of sequences; bool.

    Args:
      probability: a scalar, or a vector for which each sequence draws a row.
      count: a scalar.
    """
    shape = tf.concat([[count], tf.shape(probability)], 0)
    drawn = tf.random.uniform(shape, seed=seed, dtype=probability.dtype)
    return drawn < probability
