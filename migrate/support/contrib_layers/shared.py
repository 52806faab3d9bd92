"""What layers with variables have in common."""

import tensorflow as tf

try:
    import contrib_framework
except ImportError:  # In a package.
    from .. import contrib_framework

_collected = contrib_framework.collect_named_outputs


def variable(
    name,
    shape,
    dtype,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
    aggregation=tf.VariableAggregation.NONE,
):
    """A variable, listed in MODEL_VARIABLES as well.

    Args:
      initializer: None takes that of the variable scope.
      collections: names of more collections, or a dict of such lists by variable.
    """
    if isinstance(collections, dict):
        collections = collections.get(name)
    if isinstance(collections, str):
        collections = [collections]
    return contrib_framework.model_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        aggregation=aggregation,
    )


def finished(outputs, activation_fn, collections, scope):
    """A layer's outputs, activated, and listed where it was asked."""
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return _collected(collections, scope, outputs)


def either(condition, then, otherwise):
    """One of two functions' results, chosen now where that is possible."""
    if tf.is_tensor(condition):
        known = tf.get_static_value(condition)
        if known is None:
            return tf.cond(condition, then, otherwise)
        condition = known
    return then() if condition else otherwise()


def normalised(outputs, normalizer_fn, normalizer_params, biases, data_format="N...C"):
    """Outputs after the normalizer; without one, with biases where there are any."""
    if normalizer_fn is not None:
        return normalizer_fn(outputs, **(normalizer_params or {}))
    return outputs if biases is None else tf.nn.bias_add(outputs, biases, data_format)


def per_dimension(value, count):
    """A number for each dimension, of one or so many."""
    return list(value) if isinstance(value, (list, tuple)) else [value] * count


def pair(value):
    """Height and width, of one number or two."""
    return per_dimension(value, 2)


def format_of(data_format):
    if data_format not in (None, "NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    return data_format or "NHWC"
