"""Initial values and penalties of tf.contrib.layers."""

import math

import tensorflow as tf

v1 = tf.compat.v1
_Keys = v1.GraphKeys


def xavier_initializer(uniform=True, seed=None, dtype=tf.float32):
    """Glorot's: uniform, or normal."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(
    factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=tf.float32
):
    """Values of variance factor / n; n counts inputs, outputs, or their mean.

    Raises:
      TypeError: the mode is none of TF1's, or the dtype has no fractions.
    """
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initial(shape, dtype=dtype, partition_info=None):
        if not dtype.is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        shape = [int(size) for size in shape]
        field = math.prod(shape[:-2])
        inputs, outputs = (
            (shape[-2] if len(shape) > 1 else shape[-1], shape[-1]) if shape else (1, 1)
        )
        n = {
            "FAN_IN": inputs * field,
            "FAN_OUT": outputs * field,
            "FAN_AVG": (inputs + outputs) * field / 2.0,
        }[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return tf.random.uniform(shape, -limit, limit, dtype, seed=seed)
        # What is cut off takes away variance: TF1 reckoned with 1.3, Keras with 1.2925.
        deviation = math.sqrt(1.3 * factor / n)
        return tf.random.truncated_normal(shape, 0.0, deviation, dtype, seed=seed)

    return initial


def _penalty(scale, of_weights):
    """scale * of_weights(weights); a scale of 0.0 gives none.

    Raises:
      ValueError: the scale is an integer, or negative.
    """
    if isinstance(scale, int):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, float):
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
        if scale == 0.0:
            return lambda weights: None
    return lambda weights: tf.cast(scale, weights.dtype) * of_weights(weights)


def l1_regularizer(scale, scope=None):
    """scale * sum(|weights|)."""
    return _penalty(scale, lambda weights: tf.reduce_sum(tf.abs(weights)))


def l2_regularizer(scale, scope=None):
    """scale * sum(weights ** 2) / 2."""
    return _penalty(scale, tf.nn.l2_loss)


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """Both added up."""
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)])


def sum_regularizer(regularizer_list, scope=None):
    """The sum of several penalties; None where there is none."""
    regularizers = [r for r in regularizer_list if r is not None]

    def added(weights):
        penalties = [p for p in (r(weights) for r in regularizers) if p is not None]
        return tf.add_n(penalties) if penalties else None

    return added if regularizers else None


def apply_regularization(regularizer, weights_list=None):
    """The sum of penalties of weights, listed among the penalties.

    Raises:
      ValueError: there are no weights.
    """
    if weights_list is None:
        weights_list = v1.get_collection(_Keys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    found = [p for p in (regularizer(w) for w in weights_list) if p is not None]
    total = tf.add_n(found) if found else tf.constant(0.0)
    if not tf.executing_eagerly():
        v1.add_to_collection(_Keys.REGULARIZATION_LOSSES, total)
    return total
