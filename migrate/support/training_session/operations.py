"""Operations that computed something else in TF1."""

import contextlib
import sys

import numpy as np
import tensorflow as tf

from .variables import shards_of


@contextlib.contextmanager
def layers_take_dtype_of_input():
    """Inside, a Keras layer made without a dtype has that of its first input.

    Keras 2 gives it float32 and casts what it is called with; a float64 model would
    lose its precision without a word. A policy that the program has set is left alone.
    """
    keras = sys.modules.get("tf_keras")
    precision = keras.mixed_precision if keras else None
    policy = precision.global_policy() if precision else None
    if policy is None or policy.name != keras.backend.floatx():
        yield
        return
    # What Keras itself calls TF1's way: see tf.compat.v1.keras. An Embedding is asked for
    # by integers, and has Keras's own dtype where that is how things are.
    from tf_keras.api._v1.keras import layers

    precision.set_global_policy("_infer")
    layers.disable_v2_dtype_behavior()
    try:
        yield
    finally:
        layers.enable_v2_dtype_behavior()
        precision.set_global_policy(policy)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False):
    """tf.layers.dropout with a seed: what TF1 drew by it, however often it is traced."""

    def dropped():
        return tf.nn.dropout(inputs, rate=rate, noise_shape=noise_shape, seed=seed)

    if tf.is_tensor(training):
        return tf.cond(training, dropped, lambda: tf.identity(inputs))
    return dropped() if training else tf.identity(inputs)


def mod_rows(ids, table):
    """Row numbers of `ids` where TF1's partition_strategy="mod" kept them.

    TF1 put id i into shard i % n at row i // n; a sharded table lays its shards
    one after the other, so i's row is the start of its shard plus i // n.

    Args:
      ids: integer tensor, any shape.
      table: a variable of shape [rows, ...], sharded or whole.
    """
    parts = shards_of(table)
    starts = np.cumsum([0] + [int(p.shape[0]) for p in parts[:-1]])
    ids = tf.convert_to_tensor(ids)
    shards = tf.cast(len(parts), ids.dtype)
    return tf.gather(tf.constant(starts, ids.dtype), ids % shards) + ids // shards
