"""Feature columns that TensorFlow 2 makes in a graph only."""

import tensorflow as tf

_columns = tf.compat.v1.feature_column


def shared_embedding_columns(*args, **kwargs):
    """TF1's columns that share a table of vectors: they hold no tensors, only say which."""
    with tf.Graph().as_default():
        return _columns.shared_embedding_columns(*args, **kwargs)
