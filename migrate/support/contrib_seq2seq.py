"""What of tf.contrib.seq2seq and tf.contrib.legacy_seq2seq is no decoder.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later.
"""

import tensorflow as tf

v1 = tf.compat.v1


def sequence_loss(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    average_across_batch=True,
    sum_over_timesteps=False,
    sum_over_batch=False,
    softmax_loss_function=None,
    name=None,
):
    """The weighted cross-entropy of sequences of logits; parameters are TF1's.

    Raises:
      ValueError: shapes of other ranks, or a sum and an average over one axis.
    """
    ranks = len(logits.shape), len(targets.shape), len(weights.shape)
    if ranks != (3, 2, 2):
        raise ValueError(
            "Logits must be a [batch_size x sequence_length x logits] tensor, targets "
            f"and weights [batch_size x sequence_length]; their ranks are {ranks}"
        )
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError(
            "average_across_timesteps and sum_over_timesteps cannot be set to True at "
            "same time."
        )
    if average_across_batch and sum_over_batch:
        raise ValueError(
            "average_across_batch and sum_over_batch cannot be set to True at same time."
        )
    with v1.name_scope(name, "sequence_loss", [logits, targets, weights]):
        classes = tf.shape(logits)[2]
        flat, labels = tf.reshape(logits, [-1, classes]), tf.reshape(targets, [-1])
        if softmax_loss_function is None:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=labels, logits=flat
            )
        else:
            losses = softmax_loss_function(labels=labels, logits=flat)
        losses *= tf.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return _divided(losses, weights, None)
        if sum_over_timesteps and sum_over_batch:
            return _divided(losses, weights, None, counted=True)
        losses = tf.reshape(losses, tf.shape(logits)[:2])
        if average_across_timesteps or average_across_batch:
            return _divided(losses, weights, 0 if average_across_batch else 1)
        if sum_over_timesteps or sum_over_batch:
            return _divided(losses, weights, 0 if sum_over_batch else 1, counted=True)
        return losses


def sequence_loss_by_example(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    softmax_loss_function=None,
    name=None,
):
    """The weighted cross-entropy of each example of a batch, of tf.contrib.legacy_seq2seq.

    The first three parameters are lists, with a tensor for each time step.

    Raises:
      ValueError: lists of different lengths.
    """
    lengths = len(logits), len(targets), len(weights)
    if len(set(lengths)) != 1:
        raise ValueError(
            f"There must be as many logits as targets and weights; there are {lengths}"
        )
    with v1.name_scope(name, "sequence_loss_by_example"):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=tf.reshape(target, [-1]), logits=logit
                )
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = tf.add_n(losses)
        if average_across_timesteps:
            # As in TensorFlow 1, weights of zero give no division by zero.
            total /= tf.add_n(weights) + 1e-12
        return total


def legacy_sequence_loss(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    average_across_batch=True,
    softmax_loss_function=None,
    name=None,
):
    """The sum of `sequence_loss_by_example`, or its average: legacy_seq2seq.sequence_loss."""
    with v1.name_scope(name, "sequence_loss"):
        cost = tf.reduce_sum(
            sequence_loss_by_example(
                logits,
                targets,
                weights,
                average_across_timesteps=average_across_timesteps,
                softmax_loss_function=softmax_loss_function,
            )
        )
        if average_across_batch:
            return cost / tf.cast(tf.shape(targets[0])[0], cost.dtype)
        return cost


def _divided(losses, weights, axis, counted=False):
    """Sums of losses by those of their weights, or by how many are not zero."""
    if counted:
        total = tf.cast(tf.math.count_nonzero(weights, axis=axis), losses.dtype)
    else:
        total = tf.reduce_sum(weights, axis=axis)
    return tf.math.divide_no_nan(tf.reduce_sum(losses, axis=axis), total)
