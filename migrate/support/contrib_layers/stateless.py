"""Layers without variables."""

import math

import tensorflow as tf

try:
    import contrib_framework
except ImportError:  # In a package.
    from .. import contrib_framework

from .convolutions import FORMATS
from .shared import either, finished, per_dimension

add_arg_scope = contrib_framework.add_arg_scope
_collected = contrib_framework.collect_named_outputs
v1 = tf.compat.v1


@add_arg_scope
def dropout(
    inputs,
    keep_prob=0.5,
    noise_shape=None,
    is_training=True,
    outputs_collections=None,
    scope=None,
    seed=None,
):
    """Keeps each value with a probability, and makes it larger; only in training."""
    with v1.variable_scope(scope, "Dropout", [inputs]) as opened:
        inputs = tf.convert_to_tensor(inputs)
        outputs = either(
            is_training,
            lambda: tf.nn.dropout(inputs, 1.0 - keep_prob, noise_shape, seed),
            lambda: tf.identity(inputs),
        )
        return finished(outputs, None, outputs_collections, opened.name)


def _pooling(kind, of_images, default_scope, function_name):
    """A pooling layer of images, or of volumes."""
    formats = FORMATS[2 if of_images else 3]

    def pooled(
        inputs,
        kernel_size,
        stride=2,
        padding="VALID",
        data_format=formats[0],
        outputs_collections=None,
        scope=None,
    ):
        if data_format not in formats:
            raise ValueError(f"data_format has to be either {' or '.join(formats)}.")
        with v1.name_scope(scope, default_scope, [inputs]) as opened:
            outputs = tf.nn.pool(
                tf.convert_to_tensor(inputs),
                per_dimension(kernel_size, len(formats[0]) - 2),
                kind,
                per_dimension(stride, len(formats[0]) - 2),
                padding.upper(),
                data_format,
            )
            return _collected(outputs_collections, opened, outputs)

    pooled.__name__ = function_name
    return add_arg_scope(pooled)


avg_pool2d = _pooling("AVG", True, "AvgPool2D", "avg_pool2d")
avg_pool3d = _pooling("AVG", False, "AvgPool3D", "avg_pool3d")
max_pool2d = _pooling("MAX", True, "MaxPool2D", "max_pool2d")
max_pool3d = _pooling("MAX", False, "MaxPool3D", "max_pool3d")


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    """[batch, everything else]."""
    with v1.name_scope(scope, "Flatten", [inputs]) as opened:
        inputs = tf.convert_to_tensor(inputs)
        sizes = inputs.shape[1:]
        count = math.prod(sizes) if sizes.is_fully_defined() else None
        outputs = tf.reshape(
            inputs, tf.stack([tf.shape(inputs)[0], -1 if count is None else count])
        )
        outputs.set_shape([inputs.shape[0], count])
        return _collected(outputs_collections, opened, outputs)


@add_arg_scope
def one_hot_encoding(
    labels,
    num_classes,
    on_value=1.0,
    off_value=0.0,
    outputs_collections=None,
    scope=None,
):
    """[..., num_classes]."""
    with v1.name_scope(scope, "OneHotEncoding", [labels, num_classes]) as opened:
        outputs = tf.one_hot(
            labels, num_classes, on_value=on_value, off_value=off_value
        )
        return _collected(outputs_collections, opened, outputs)


@add_arg_scope
def softmax(logits, scope=None):
    """Softmax over the last dimension."""
    with v1.variable_scope(scope, "softmax", [logits]):
        return tf.nn.softmax(logits)


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """Inputs divided by their length along a dimension."""
    with v1.variable_scope(scope, "UnitNorm", [inputs]):
        squares = tf.reduce_sum(tf.square(inputs), dim, keepdims=True)
        return inputs / tf.sqrt(epsilon + squares)


@add_arg_scope
def maxout(inputs, num_units, axis=-1, scope=None):
    """The largest of each group of channels; there are `num_units` groups."""
    with v1.variable_scope(scope, "MaxOut", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        known, shape = inputs.shape.as_list(), tf.shape(inputs)
        if known[axis] % num_units:
            raise ValueError(
                f"number of features({known[axis]}) is not a multiple of "
                f"num_units({num_units})"
            )
        sizes = [shape[i] if size is None else size for i, size in enumerate(known)]
        sizes[axis] = num_units
        sizes.append(known[axis] // num_units)
        return tf.reduce_max(tf.reshape(inputs, tf.stack(sizes)), -1)
