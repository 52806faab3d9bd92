"""Attention that never goes back in its memory (https://arxiv.org/abs/1704.00784)."""

import functools

import numpy as np
import tensorflow as tf

from .attention import (
    AttentionOverMemory,
    make_layer,
    score_by_products,
    score_by_sums,
)

v1 = tf.compat.v1


class _MonotonicAttention(AttentionOverMemory):
    """Its first alignments are at the memory's first place."""

    def initial_alignments(self, batch_size, dtype):
        first = tf.zeros([batch_size], tf.int32)
        return tf.one_hot(first, self._alignments_size, dtype=dtype)


class BahdanauMonotonicAttention(_MonotonicAttention):
    """Scores by a layer over sums of queries and keys; see `BahdanauAttention`.

    Args:
      sigmoid_noise: the deviation of what is added to scores while training.
      sigmoid_noise_seed: of these draws.
      score_bias_init: what the scores' bias begins with.
      mode: of `monotonic_attention`.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        normalize=False,
        score_mask_value=None,
        sigmoid_noise=0.0,
        sigmoid_noise_seed=None,
        score_bias_init=0.0,
        mode="parallel",
        dtype=None,
        name="BahdanauMonotonicAttention",
    ):
        super().__init__(
            query_layer=make_layer(num_units, "query_layer", dtype),
            memory_layer=make_layer(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_choose(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name
        self._score_bias_init = score_bias_init

    def __call__(self, query, state):
        """Alignments [batch, time] of queries [batch, depth], and the next state."""
        with v1.variable_scope(None, "bahdanau_monotonic_attention"):
            query = self.query_layer(query)
            score = score_by_sums(query, self._keys, self._num_units, self._normalize)
            score = _add_bias(score, self._score_bias_init)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class LuongMonotonicAttention(_MonotonicAttention):
    """Scores by products of queries and keys; see `LuongAttention`.

    Args:
      sigmoid_noise: the deviation of what is added to scores while training.
      sigmoid_noise_seed: of these draws.
      score_bias_init: what the scores' bias begins with.
      mode: of `monotonic_attention`.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        score_mask_value=None,
        sigmoid_noise=0.0,
        sigmoid_noise_seed=None,
        score_bias_init=0.0,
        mode="parallel",
        dtype=None,
        name="LuongMonotonicAttention",
    ):
        super().__init__(
            query_layer=None,
            memory_layer=make_layer(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_choose(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name
        self._score_bias_init = score_bias_init

    def __call__(self, query, state):
        """Alignments [batch, time] of queries [batch, depth], and the next state."""
        with v1.variable_scope(None, "luong_monotonic_attention"):
            score = score_by_products(query, self._keys, self._scale)
            score = _add_bias(score, self._score_bias_init)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def _add_bias(score, initial):
    """Scores and a trained number."""
    return score + v1.get_variable(
        "attention_score_bias", dtype=score.dtype, initializer=initial
    )


def _choose(noise, mode, seed):
    """A function from scores and the last alignments to alignments."""
    return functools.partial(_choose_places, noise=noise, mode=mode, seed=seed)


def _choose_places(score, alignments, noise, mode, seed):
    if noise > 0:
        score += noise * tf.random.normal(tf.shape(score), dtype=score.dtype, seed=seed)
    if mode == "hard":
        chosen = tf.cast(score > 0, score.dtype)
    else:
        chosen = tf.sigmoid(score)
    return monotonic_attention(chosen, alignments, mode)


def safe_cumprod(x, *args, **kwargs):
    """A cumulative product of values in [0, 1], by sums of logarithms.

    Args:
      x: any shape.
      *args: of `tf.cumsum`.
      **kwargs: of `tf.cumsum`.
    """
    with v1.name_scope(None, "SafeCumprod"):
        x = tf.convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        logarithms = tf.math.log(tf.clip_by_value(x, tiny, 1))
        return tf.exp(tf.cumsum(logarithms, *args, **kwargs))


def monotonic_attention(p_choose_i, previous_attention, mode):
    """Alignments [batch, time] that only go on.

    Args:
      p_choose_i: [batch, time], the probability to stop at a place.
      previous_attention: [batch, time], the alignments of the step before.
      mode: "recursive" is exact, "parallel" fast, "hard" for probabilities 0 and 1.

    Raises:
      ValueError: it is none of these.
    """
    stops = tf.convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = tf.convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        # Who comes to a place: those who passed the one before it, and those who begin.
        passes = tf.concat([tf.ones_like(stops[:, :1]), 1 - stops[:, :-1]], 1)
        comes = tf.scan(
            lambda before, here: tf.ensure_shape(
                here[0] * before + here[1], before.shape
            ),
            (tf.transpose(passes), tf.transpose(previous)),
            tf.zeros_like(stops[:, 0]),
        )
        return stops * tf.transpose(comes)
    if mode == "parallel":
        passed = safe_cumprod(1 - stops, axis=1, exclusive=True)
        began = previous / tf.clip_by_value(passed, 1e-10, 1.0)
        return stops * passed * tf.cumsum(began, axis=1)
    if mode == "hard":
        stops *= tf.cumsum(previous, axis=1)
        return stops * tf.math.cumprod(1 - stops, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")
