"""Shapes and layouts of what decoders pass on."""

import tensorflow as tf

v1 = tf.compat.v1


def make_zeros(sizes, batch_size, dtypes):
    """Zeros [batch_size, *size] for each size of a structure.

    Args:
      sizes: each a number, a TensorShape or a tensor.
      batch_size: a number or a scalar tensor.
      dtypes: of the structure of `sizes`.
    """
    return tf.nest.map_structure(
        lambda size, dtype: _make_zeros_of_size(size, batch_size, dtype), sizes, dtypes
    )


def _make_zeros_of_size(size, batch_size, dtype):
    if isinstance(size, tf.Tensor):
        rest = tf.reshape(size, [-1])
        known = tf.TensorShape(tf.get_static_value(rest))
    else:
        known = tf.TensorShape(size)
        rest = known.as_list()
    batch = tf.cast(tf.reshape(batch_size, [1]), tf.int32)
    zeros = tf.zeros(tf.concat([batch, tf.cast(rest, tf.int32)], 0), dtype)
    static = tf.get_static_value(tf.convert_to_tensor(batch_size))
    zeros.set_shape(tf.TensorShape([static]).concatenate(known))
    return zeros


def find_size(tensor, axis):
    """The size of an axis: a number where it is known, or else a tensor."""
    static = tf.compat.dimension_value(tensor.shape[axis])
    return tf.shape(tensor)[axis] if static is None else static


def swap_batch_and_time(tensor):
    """[time, batch, ...] of [batch, time, ...], and the reverse."""
    rank = tensor.shape.rank
    if rank is None:
        rest = tf.range(2, tf.rank(tensor))
        return tf.transpose(tensor, tf.concat([[1, 0], rest], 0))
    if rank < 2:
        return tensor
    return tf.transpose(tensor, [1, 0, *range(2, rank)])


def find_output_size(cell, output_layer):
    """The size of a cell's outputs after a layer, without the batch."""
    if output_layer is None:
        return cell.output_size
    given = tf.nest.map_structure(
        lambda size: tf.TensorShape([None]).concatenate(size), cell.output_size
    )
    shapes = output_layer.compute_output_shape(given)
    return tf.nest.map_structure(lambda shape: shape[1:], shapes)


def make_embedding_fn(embedding):
    """A function from ids to embeddings: the one that is given, or a lookup in a table."""
    if callable(embedding):
        return embedding
    return lambda ids: v1.nn.embedding_lookup(embedding, ids)
