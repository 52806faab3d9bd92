"""Beams as tensors: how they are tiled, and read back along their parents."""

import tensorflow as tf

v1 = tf.compat.v1


def tile_batch(t, multiplier, name=None):
    """Each entry several times, one after the other.

    Args:
      t: [batch, ...], or a structure of such tensors.
      multiplier: how many times.
      name: of the operations.

    Returns:
      [batch * multiplier, ...].

    Raises:
      ValueError: the rank of a tensor is unknown, or 0.
    """
    with v1.name_scope(name, "tile_batch"):
        return tf.nest.map_structure(lambda one: _tile(one, multiplier), t)


def _tile(given, multiplier):
    tensor = tf.convert_to_tensor(given, name="t")
    if not tensor.shape.rank:
        raise ValueError("t must have statically known rank")
    tiled = tf.tile(tensor[:, None], [1, multiplier] + [1] * (tensor.shape.rank - 1))
    rest = tf.shape(tensor)[1:]
    tiled = tf.reshape(tiled, tf.concat([[-1], rest], 0))
    batch = tensor.shape.as_list()[0]
    known = None if batch is None or tf.is_tensor(multiplier) else batch * multiplier
    tiled.set_shape(tf.TensorShape([known]).concatenate(tensor.shape[1:]))
    return tiled


def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """The ids of whole beams, read from their last step back along their parents.

    Args:
      step_ids: [time, batch, beams], int32.
      parent_ids: [time, batch, beams], the beam of the step before.
      max_sequence_lengths: [batch], int32; beams end there at the latest.
      end_token: a scalar; after the first one a beam has no others.
      name: of the operations.

    Returns:
      [time, batch, beams], int32.
    """
    with v1.name_scope(name, "GatherTree"):
        step_ids = tf.convert_to_tensor(step_ids)
        parent_ids = tf.convert_to_tensor(parent_ids)
        shape = tf.shape(step_ids)
        first = tf.broadcast_to(tf.range(shape[2]), shape[1:])
        first.set_shape(step_ids.shape[1:])
        inside = tf.sequence_mask(max_sequence_lengths, shape[0])  # [batch, time]

        def read(later, here):
            """The beams of a step, and the beams before it that they come from."""
            _, beams = later
            ids, parents, is_inside = here
            is_inside = is_inside[:, None]
            ids = tf.gather(ids, beams, axis=1, batch_dims=1)
            parents = tf.gather(parents, beams, axis=1, batch_dims=1)
            found = (
                tf.where(is_inside, ids, end_token),
                tf.where(is_inside, parents, beams),
            )
            for one in found:
                one.set_shape(first.shape)
            return found

        ids, _ = tf.scan(
            read,
            (step_ids, parent_ids, tf.transpose(inside)),
            (tf.zeros_like(first), first),
            reverse=True,
        )
        ends = tf.cast(tf.equal(ids, end_token), tf.int32)
        has_ended = tf.cumsum(ends, axis=0, exclusive=True) > 0
        return tf.where(has_ended, end_token, ids)


def sort_along_parents(steps, parent_ids, lengths):
    """Values of each step in the order of the final beams.

    Args:
      steps: [time, batch, beams, ...] or [time, batch * beams, ...].
      parent_ids: [time, batch, beams].
      lengths: [batch, beams]; what lies beyond stays as it is.
    """
    shape = tf.shape(parent_ids)
    own = tf.broadcast_to(tf.range(shape[2]), shape)
    longest = tf.cast(tf.reduce_max(lengths, axis=1), tf.int32)
    # No beam has the number of the end token.
    beams = gather_tree(own, parent_ids, longest, shape[2] + 1)
    inside = tf.transpose(tf.sequence_mask(lengths, shape[0]), [2, 0, 1])
    beams = tf.where(inside, beams, own)
    values = tf.reshape(steps, tf.concat([shape, [-1]], 0))
    return tf.reshape(tf.gather(values, beams, batch_dims=2), tf.shape(steps))
