"""tf.contrib.crf: linear-chain conditional random fields.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. Scores are [batch, time, tags], lengths [batch].
"""

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """The sum of the scores of the tags of each sequence."""
    mask = tf.sequence_mask(sequence_lengths, tf.shape(inputs)[1], inputs.dtype)
    chosen = tf.gather(inputs, tf.cast(tag_indices, tf.int32), axis=2, batch_dims=2)
    return tf.reduce_sum(chosen * mask, axis=1)


def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """The sum of the scores of the transitions of each sequence."""
    tags = tf.cast(tag_indices, tf.int32)
    pairs = tf.stack([tags[:, :-1], tags[:, 1:]], axis=-1)
    scores = tf.gather_nd(transition_params, pairs)
    lengths = _others(sequence_lengths)
    mask = tf.sequence_mask(lengths, tf.shape(tags)[1] - 1, scores.dtype)
    return tf.reduce_sum(scores * mask, axis=1)


def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """The unnormalised score of each sequence; 0 of an empty one."""
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(
        tag_indices, sequence_lengths, transition_params
    )


def crf_multitag_sequence_score(
    inputs, tag_bitmap, sequence_lengths, transition_params
):
    """The score of all sequences of the tags that a bitmap allows."""
    worst = tf.fill(tf.shape(inputs), tf.constant(float("-inf"), inputs.dtype))
    allowed = tf.where(tag_bitmap, inputs, worst)
    return crf_log_norm(allowed, sequence_lengths, transition_params)


def crf_log_norm(inputs, sequence_lengths, transition_params):
    """The logarithm of each sequence's normalisation; 0 of an empty one."""

    def add(alphas, scores):
        through = alphas[:, :, None] + transition_params
        return scores + tf.reduce_logsumexp(through, axis=1)

    alphas = _scanned(add, inputs, sequence_lengths)[-1]
    norm = tf.reduce_logsumexp(alphas, axis=1)
    return tf.where(sequence_lengths > 0, norm, tf.zeros_like(norm))


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """The log-likelihood of each sequence, and the transitions, which are trained."""
    if transition_params is None:
        tags = inputs.shape[2]
        transition_params = v1.get_variable("transitions", [tags, tags])
    scores = crf_sequence_score(
        inputs, tag_indices, sequence_lengths, transition_params
    )
    norms = crf_log_norm(inputs, sequence_lengths, transition_params)
    return scores - norms, transition_params


def crf_decode(potentials, transition_params, sequence_length):
    """The best tags of each sequence, 0 beyond its end, and their score."""

    def add(alphas, scores):
        return scores + tf.reduce_max(alphas[:, :, None] + transition_params, axis=1)

    trellis = _scanned(add, potentials, sequence_length)
    last = tf.argmax(trellis[-1], axis=1, output_type=tf.int32)

    def back(following, given):
        alphas, inside = given
        through = alphas[:, :, None] + transition_params
        best = tf.argmax(through, axis=1, output_type=tf.int32)
        chosen = tf.gather(best, following, axis=1, batch_dims=1)
        return tf.where(inside, chosen, following)

    steps = tf.range(1, tf.shape(potentials)[1])
    inside = steps[:, None] < tf.cast(sequence_length, tf.int32)[None]
    before = tf.scan(back, (trellis[:-1], inside), last, reverse=True)
    tags = tf.transpose(tf.concat([before, last[None]], axis=0))
    lengths = tf.maximum(tf.cast(sequence_length, tf.int32), 1)
    mask = tf.sequence_mask(lengths, tf.shape(potentials)[1], tf.int32)
    return tags * mask, tf.reduce_max(trellis[-1], axis=1)


def viterbi_decode(score, transition_params):
    """The best tags of one sequence of arrays, and their score."""
    trellis = np.zeros_like(score)
    pointers = np.zeros_like(score, dtype=np.int32)
    trellis[0] = score[0]
    for step in range(1, score.shape[0]):
        through = trellis[step - 1][:, None] + transition_params
        trellis[step] = score[step] + np.max(through, 0)
        pointers[step] = np.argmax(through, 0)
    tags = [np.argmax(trellis[-1])]
    for pointer in reversed(pointers[1:]):
        tags.append(pointer[tags[-1]])
    return tags[::-1], np.max(trellis[-1])


def _others(sequence_lengths):
    """How many elements sequences have after their first."""
    return tf.maximum(sequence_lengths - 1, tf.zeros_like(sequence_lengths))


def _scanned(add, inputs, sequence_lengths):
    """[time, batch, tags]: values at each step, as at its last one after a sequence."""
    scores = tf.transpose(inputs, [1, 0, 2])
    steps = tf.range(1, tf.shape(inputs)[1])
    inside = steps[:, None] < tf.cast(sequence_lengths, tf.int32)[None]

    def step(alphas, given):
        score, is_inside = given
        return tf.where(is_inside[:, None], add(alphas, score), alphas)

    first = scores[0]
    rest = tf.scan(step, (scores[1:], inside), first)
    return tf.concat([first[None], rest], axis=0)
