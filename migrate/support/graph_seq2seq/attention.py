"""Attention mechanisms: how much a decoder looks at each place of a memory."""

import math

import tensorflow as tf

from .shapes import find_size, make_zeros

v1 = tf.compat.v1


class AttentionMechanism:
    """What an AttentionWrapper asks, with the sizes of its answers."""

    @property
    def alignments_size(self):
        raise NotImplementedError

    @property
    def state_size(self):
        raise NotImplementedError


class AttentionOverMemory(AttentionMechanism):
    """A memory and its keys; classes below it give each place a score.

    Args:
      query_layer: a layer for queries, or None.
      memory: [batch, time, depth].
      probability_fn: from scores [batch, time] and the last alignments to alignments.
      memory_sequence_length: [batch]; what lies beyond is not looked at.
      memory_layer: the layer that makes keys of the memory.
      check_inner_dims_defined: whether the memory's depth must be known.
      score_mask_value: the score of what lies beyond; minus infinity if None.
      custom_key_value_fn: from keys and values to others, or None.
      name: of the operations.
    """

    def __init__(
        self,
        query_layer,
        memory,
        probability_fn,
        memory_sequence_length=None,
        memory_layer=None,
        check_inner_dims_defined=True,
        score_mask_value=None,
        custom_key_value_fn=None,
        name=None,
    ):
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        self.dtype = memory_layer.dtype
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable: {probability_fn}")
        if score_mask_value is None:
            score_mask_value = -math.inf
        self._probability_fn = lambda score, state: probability_fn(
            mask_score(score, memory_sequence_length, score_mask_value), state
        )
        with v1.name_scope(name, "BaseAttentionMechanismInit"):
            self._values = mask_memory(
                memory, memory_sequence_length, check_inner_dims_defined
            )
            self._keys = self._values
            if memory_layer is not None:
                self._keys = memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = find_size(self._keys, 0)
            self._alignments_size = find_size(self._keys, 1)

    @property
    def memory_layer(self):
        return self._memory_layer

    @property
    def query_layer(self):
        return self._query_layer

    @property
    def values(self):
        return self._values

    @property
    def keys(self):
        return self._keys

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def alignments_size(self):
        return self._alignments_size

    @property
    def state_size(self):
        return self._alignments_size

    def initial_alignments(self, batch_size, dtype):
        """What stands for alignments before the first step: zeros [batch, time]."""
        return make_zeros(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size, dtype):
        """What the mechanism's state begins with."""
        return self.initial_alignments(batch_size, dtype)


class LuongAttention(AttentionOverMemory):
    """Scores by products of queries and keys.

    Args:
      num_units: of the keys; the depth of queries.
      memory: [batch, time, depth].
      memory_sequence_length: [batch]; what lies beyond is not looked at.
      scale: whether a trained factor scales the scores.
      probability_fn: from scores to alignments; a softmax if None.
      score_mask_value: the score of what lies beyond; minus infinity if None.
      dtype: of the keys; float32 if None.
      custom_key_value_fn: from keys and values to others, or None.
      name: of the operations.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="LuongAttention",
    ):
        super().__init__(
            query_layer=None,
            memory_layer=make_layer(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=forget_state(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name

    def __call__(self, query, state):
        """Alignments [batch, time] of queries [batch, depth], and the next state."""
        with v1.variable_scope(None, "luong_attention"):
            score = score_by_products(query, self._keys, self._scale)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class BahdanauAttention(AttentionOverMemory):
    """Scores by a layer over sums of queries and keys.

    Args:
      num_units: of keys and queries.
      memory: [batch, time, depth].
      memory_sequence_length: [batch]; what lies beyond is not looked at.
      normalize: whether the layer's weights have a trained length, and a bias.
      probability_fn: from scores to alignments; a softmax if None.
      score_mask_value: the score of what lies beyond; minus infinity if None.
      dtype: of the keys; float32 if None.
      custom_key_value_fn: from keys and values to others, or None.
      name: of the operations.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        normalize=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="BahdanauAttention",
    ):
        super().__init__(
            query_layer=make_layer(num_units, "query_layer", dtype),
            memory_layer=make_layer(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=forget_state(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name

    def __call__(self, query, state):
        """Alignments [batch, time] of queries [batch, depth], and the next state."""
        with v1.variable_scope(None, "bahdanau_attention"):
            if self.query_layer is not None:
                query = self.query_layer(query)
            score = score_by_sums(query, self._keys, self._num_units, self._normalize)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def make_layer(units, name, dtype):
    """A linear layer without a bias."""
    return v1.layers.Dense(
        units, name=name, use_bias=False, dtype=tf.float32 if dtype is None else dtype
    )


def forget_state(probability_fn):
    """A function of scores and a state that reads the scores alone."""
    chosen = tf.nn.softmax if probability_fn is None else probability_fn
    return lambda score, state: chosen(score)


def score_by_products(query, keys, scale):
    """Scores [batch, time] of queries [batch, units] and keys [batch, time, units]."""
    factor = None
    if scale:
        factor = v1.get_variable("attention_g", [], query.dtype, v1.ones_initializer())
    depth, units = query.shape.as_list()[-1], keys.shape.as_list()[-1]
    if depth is None or depth != units:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys: "
            f"{query} has {depth}, {keys} has {units}. num_units must be {depth}."
        )
    score = tf.matmul(query[:, None], keys, transpose_b=True)
    score = tf.squeeze(score, [1])
    return score if factor is None else factor * score


def score_by_sums(query, keys, units, normalize):
    """Scores [batch, time] of queries [batch, units] and keys [batch, time, units]."""
    weights = v1.get_variable("attention_v", [units], query.dtype)
    added = keys + query[:, None]
    if normalize:
        length = v1.get_variable(
            "attention_g",
            [],
            query.dtype,
            v1.constant_initializer(math.sqrt(1.0 / units)),
        )
        added += v1.get_variable(
            "attention_b", [units], query.dtype, v1.zeros_initializer()
        )
        weights = length * weights * tf.math.rsqrt(tf.reduce_sum(tf.square(weights)))
    return tf.reduce_sum(weights * tf.tanh(added), [2])


def mask_memory(memory, lengths, checks_depth):
    """A memory [batch, time, ...], zero beyond its lengths [batch]."""
    memory = tf.nest.map_structure(
        lambda one: tf.convert_to_tensor(one, name="memory"), memory
    )
    every = tf.nest.flatten(memory)
    for one in every:
        if checks_depth and not one.shape[2:].is_fully_defined():
            raise ValueError(
                f"Expected memory {one.name} to have fully defined inner dims, but "
                f"saw shape: {one.shape}"
            )
    if lengths is None:
        return memory
    mask = tf.sequence_mask(lengths, tf.shape(every[0])[1], every[0].dtype)

    def apply(one):
        ones = tf.ones([tf.rank(one) - 2], tf.int32)
        return one * tf.reshape(mask, tf.concat([tf.shape(mask), ones], 0))

    return tf.nest.map_structure(apply, memory)


def mask_score(score, lengths, value):
    """Scores [batch, time] with a value beyond the memory's lengths [batch]."""
    if lengths is None:
        return score
    positive = v1.assert_positive(
        lengths,
        message="All values in memory_sequence_length must be greater than zero.",
    )
    with v1.control_dependencies([positive]):
        mask = tf.sequence_mask(lengths, tf.shape(score)[1])
    return tf.where(mask, score, value * tf.ones_like(score))


def hardmax(logits, name=None):
    """1 where logits [..., classes] are largest, and else 0."""
    with v1.name_scope(name, "Hardmax"):
        logits = tf.convert_to_tensor(logits, name="logits")
        depth = find_size(logits, -1)
        return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)
