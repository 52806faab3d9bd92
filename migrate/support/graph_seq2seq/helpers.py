"""Helpers of decoders that choose ids, and feed what they chose."""

import tensorflow as tf

from .draws import draw_ids
from .shapes import make_embedding_fn

v1 = tf.compat.v1


class Helper:
    """Gives a BasicDecoder its inputs, and chooses ids from its outputs."""

    @property
    def batch_size(self):
        """A scalar tensor, int32."""
        raise NotImplementedError

    @property
    def sample_ids_shape(self):
        """Of a step's ids, without the batch."""
        raise NotImplementedError

    @property
    def sample_ids_dtype(self):
        raise NotImplementedError

    def initialize(self, name=None):
        """What decoding begins with: (finished, inputs)."""
        raise NotImplementedError

    def sample(self, time, outputs, state, name=None):
        """The ids that a step's outputs give."""
        raise NotImplementedError

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """What follows a step: (finished, inputs, state)."""
        raise NotImplementedError


class CustomHelper(Helper):
    """A helper of three functions.

    Args:
      initialize_fn: gives (finished, inputs).
      sample_fn: from `time`, `outputs`, `state` to ids.
      next_inputs_fn: from `time`, `outputs`, `state`, `sample_ids` to
        (finished, inputs, state).
      sample_ids_shape: of ids without the batch; a scalar if None.
      sample_ids_dtype: int32 if None.
    """

    def __init__(
        self,
        initialize_fn,
        sample_fn,
        next_inputs_fn,
        sample_ids_shape=None,
        sample_ids_dtype=None,
    ):
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = None
        self._sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or tf.int32

    @property
    def batch_size(self):
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self):
        return self._sample_ids_dtype

    def initialize(self, name=None):
        with v1.name_scope(name, f"{type(self).__name__}Initialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time, outputs, state, name=None):
        with v1.name_scope(name, f"{type(self).__name__}Sample"):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with v1.name_scope(name, f"{type(self).__name__}NextInputs"):
            return self._next_inputs_fn(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )


class GreedyEmbeddingHelper(Helper):
    """Takes the most probable id, and feeds its embedding.

    Args:
      embedding: a function of ids, or a table for `tf.nn.embedding_lookup`.
      start_tokens: [batch], int32.
      end_token: a scalar, int32.
    """

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding_fn = make_embedding_fn(embedding)
        self._start_tokens = tf.convert_to_tensor(
            start_tokens, tf.int32, name="start_tokens"
        )
        self._end_token = tf.convert_to_tensor(end_token, tf.int32, name="end_token")
        if self._start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = tf.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

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
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished = tf.equal(sample_ids, self._end_token)
        inputs = v1.cond(
            tf.reduce_all(finished),
            lambda: self._start_inputs,  # Nothing reads them any more.
            lambda: self._embedding_fn(sample_ids),
        )
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Draws an id by its probability, and feeds its embedding.

    Args:
      embedding: a function of ids, or a table for `tf.nn.embedding_lookup`.
      start_tokens: [batch], int32.
      end_token: a scalar, int32.
      softmax_temperature: what logits are divided by; 1 if None.
      seed: of the draws.
    """

    def __init__(
        self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None
    ):
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(self, time, outputs, state, name=None):
        if self._softmax_temperature is not None:
            outputs = outputs / self._softmax_temperature
        return draw_ids(outputs, self._seed)


class InferenceHelper(Helper):
    """Chooses by a function, and feeds what it chose.

    Args:
      sample_fn: from outputs to what is chosen.
      sample_shape: of it, without the batch.
      sample_dtype: of it.
      start_inputs: [batch, ...].
      end_fn: from what is chosen to [batch], bool.
      next_inputs_fn: from what is chosen to inputs; the same if None.
    """

    def __init__(
        self,
        sample_fn,
        sample_shape,
        sample_dtype,
        start_inputs,
        end_fn,
        next_inputs_fn=None,
    ):
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._sample_shape = tf.TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._start_inputs = tf.convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = tf.shape(self._start_inputs)[0]

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_shape

    @property
    def sample_ids_dtype(self):
        return self._sample_dtype

    def initialize(self, name=None):
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return self._sample_fn(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        inputs = sample_ids
        if self._next_inputs_fn is not None:
            inputs = self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state
