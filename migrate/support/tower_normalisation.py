"""Batch normalisation in towers: whose statistics move the averages.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later and tf_keras.
"""

import tensorflow as tf
import tf_keras


class BatchNormalization(tf_keras.layers.BatchNormalization):
    """tf_keras's, whose averages are the same in all replicas.

    Args:
      updated_by: the replica whose batch moves the averages, "first" or "last"; or "all",
        one after the other.
      **kwargs: as for tf_keras.layers.BatchNormalization.
    """

    def __init__(self, updated_by, **kwargs):
        super().__init__(**kwargs)
        self._updated_by = updated_by

    def _assign_moving_average(self, variable, value, momentum, inputs_size):
        values = self._moving(value)
        if values is None:
            return super()._assign_moving_average(
                variable, value, momentum, inputs_size
            )
        rate = tf.cast(1.0 - momentum, variable.dtype)
        average = tf.convert_to_tensor(variable)
        for each in values:
            average -= (average - each) * rate
        return variable.assign(average)  # The same in every replica.

    def _assign_new_value(self, variable, value):
        # Of a fused kernel, which has averaged already.
        values = self._moving(value)
        if values is None:
            return super()._assign_new_value(variable, value)
        kept = tf.cast(self.momentum, variable.dtype)
        before = tf.convert_to_tensor(variable)
        average = values[0]
        for each in values[1:]:
            average = average * kept + (each - before * kept)
        return variable.assign(average)

    def _moving(self, value):
        """What the replicas have that move the averages, in order; None for one replica."""
        context = tf.distribute.get_replica_context()
        if context is None or context.num_replicas_in_sync == 1:
            return None
        values = tf.unstack(
            context.all_gather(tf.expand_dims(value, 0), axis=0),
            context.num_replicas_in_sync,
        )
        moving = {"first": values[:1], "last": values[-1:], "all": values[::-1]}
        return moving[self._updated_by]
