"""Helpers of decoders that are trained: they feed the sequences that are given."""

import tensorflow as tf

from .draws import draw_choices, draw_ids
from .helpers import Helper
from .shapes import make_embedding_fn, swap_batch_and_time

v1 = tf.compat.v1


class TrainingHelper(Helper):
    """Feeds the inputs that are given; its ids are the most probable ones.

    Args:
      inputs: [batch, time, ...].
      sequence_length: [batch], int32.
      time_major: whether inputs are [time, batch, ...].
      name: of the operations.
    """

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with v1.name_scope(name, "TrainingHelper"):
            self._inputs = tf.convert_to_tensor(inputs, name="inputs")
            steps = self._inputs
            if not time_major:
                steps = swap_batch_and_time(steps)
            self._input_tas = _make_array(steps)
            self._sequence_length = tf.convert_to_tensor(
                sequence_length, name="sequence_length"
            )
            if self._sequence_length.shape.rank != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self._sequence_length.shape}"
                )
            self._zero_inputs = tf.zeros_like(steps[0])
            self._batch_size = tf.size(self._sequence_length)

    @property
    def inputs(self):
        return self._inputs

    @property
    def sequence_length(self):
        return self._sequence_length

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return tf.TensorShape([])

    @property
    def sample_ids_dtype(self):
        return tf.int32

    def initialize(self, name=None):
        with v1.name_scope(name, "TrainingHelperInitialize"):
            return self._read(0)

    def sample(self, time, outputs, name=None, **unused):
        with v1.name_scope(name, "TrainingHelperSample"):
            return tf.cast(tf.argmax(outputs, axis=-1), tf.int32)

    def next_inputs(self, time, outputs, state, name=None, **unused):
        with v1.name_scope(name, "TrainingHelperNextInputs"):
            return (*self._read(time + 1), state)

    def _read(self, time):
        """What a step begins with: (finished, inputs)."""
        finished = self._sequence_length <= time
        inputs = v1.cond(
            tf.reduce_all(finished),
            lambda: self._zero_inputs,
            lambda: self._input_tas.read(time),
        )
        return finished, inputs


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Feeds an input that is given, or with a probability the embedding of a drawn id.

    Its ids are -1 where none was drawn.

    Args:
      inputs: [batch, time, ...].
      sequence_length: [batch], int32.
      embedding: a function of ids, or a table for `tf.nn.embedding_lookup`.
      sampling_probability: a scalar.
      time_major: whether inputs are [time, batch, ...].
      seed: of the ids.
      scheduling_seed: of the choice between an input and an id.
      name: of the operations.
    """

    def __init__(
        self,
        inputs,
        sequence_length,
        embedding,
        sampling_probability,
        time_major=False,
        seed=None,
        scheduling_seed=None,
        name=None,
    ):
        with v1.name_scope(name, "ScheduledEmbeddingSamplingWrapper"):
            self._embedding_fn = make_embedding_fn(embedding)
            self._sampling_probability = _check_probability(sampling_probability)
            self._seed = seed
            self._scheduling_seed = scheduling_seed
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time, outputs, state, name=None):
        with v1.name_scope(name, "ScheduledEmbeddingTrainingHelperSample"):
            chosen = draw_choices(
                self._sampling_probability, self.batch_size, self._scheduling_seed
            )
            none = tf.fill([self.batch_size], -1)
            return v1.where(chosen, draw_ids(outputs, self._seed), none)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with v1.name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs"):
            finished, inputs, state = super().next_inputs(time, outputs, state, name)

            def mix():
                return _mix_rows(
                    sample_ids > -1,
                    lambda rows: self._embedding_fn(tf.gather(sample_ids, rows)),
                    inputs,
                )

            mixed = v1.cond(tf.reduce_all(finished), lambda: inputs, mix)
            return finished, mixed, state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Feeds an input that is given, or with a probability the outputs of the step before.

    Its ids are 1 where outputs are fed.

    Args:
      inputs: [batch, time, ...].
      sequence_length: [batch], int32.
      sampling_probability: a scalar.
      time_major: whether inputs are [time, batch, ...].
      seed: of the choice.
      next_inputs_fn: from outputs to inputs; the same if None.
      auxiliary_inputs: [batch, time, ...], which stand beside inputs of either kind.
      name: of the operations.
    """

    def __init__(
        self,
        inputs,
        sequence_length,
        sampling_probability,
        time_major=False,
        seed=None,
        next_inputs_fn=None,
        auxiliary_inputs=None,
        name=None,
    ):
        with v1.name_scope(name, "ScheduledOutputTrainingHelper"):
            self._sampling_probability = _check_probability(sampling_probability)
            self._auxiliary_input_tas = None
            if auxiliary_inputs is not None:
                auxiliary = tf.convert_to_tensor(auxiliary_inputs)
                inputs = tf.concat([tf.convert_to_tensor(inputs), auxiliary], -1)
                if not time_major:
                    auxiliary = swap_batch_and_time(auxiliary)
                self._auxiliary_input_tas = _make_array(auxiliary)
            self._seed = seed
            self._next_inputs_fn = next_inputs_fn
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time, outputs, state, name=None):
        with v1.name_scope(name, "ScheduledOutputTrainingHelperSample"):
            chosen = draw_choices(
                self._sampling_probability, self.batch_size, self._seed
            )
            return tf.cast(chosen, tf.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with v1.name_scope(name, "ScheduledOutputTrainingHelperNextInputs"):
            finished, inputs, state = super().next_inputs(time, outputs, state, name)
            chosen = tf.cast(sample_ids, tf.bool)

            def feed(rows):
                fed = tf.gather(outputs, rows)
                if self._next_inputs_fn is not None:
                    fed = self._next_inputs_fn(fed)
                if self._auxiliary_input_tas is None:
                    return fed
                beside = self._auxiliary_input_tas.read(time + 1)
                return tf.concat([fed, tf.gather(beside, rows)], -1)

            stays = tf.logical_or(
                tf.reduce_all(finished), tf.logical_not(tf.reduce_any(chosen))
            )
            mixed = v1.cond(
                stays, lambda: inputs, lambda: _mix_rows(chosen, feed, inputs)
            )
            return finished, mixed, state


def _make_array(steps):
    """A TensorArray of [time, ...]."""
    array = tf.TensorArray(
        steps.dtype, tf.shape(steps)[0], element_shape=steps.shape[1:]
    )
    return array.unstack(steps)


def _check_probability(given):
    probability = tf.convert_to_tensor(given, name="sampling_probability")
    if probability.shape.rank not in (0, 1):
        raise ValueError(
            "sampling_probability must be either a scalar or a vector. "
            f"saw shape: {probability.shape}"
        )
    return probability


def _mix_rows(chosen, make, inputs):
    """Inputs [batch, ...], in which rows that are chosen are others.

    Args:
      chosen: [batch], bool.
      make: from the numbers of rows to these rows.
    """
    rows = tf.cast(tf.where(chosen)[:, 0], tf.int32)
    others = tf.cast(tf.where(tf.logical_not(chosen))[:, 0], tf.int32)
    mixed = tf.dynamic_stitch([rows, others], [make(rows), tf.gather(inputs, others)])
    mixed.set_shape(inputs.shape)
    return mixed
