"""Convolutions, also transposed and separable."""

import functools

import tensorflow as tf

try:
    import contrib_framework
except ImportError:  # In a package.
    from .. import contrib_framework

from .penalties import xavier_initializer
from .shared import finished, format_of, normalised, pair, per_dimension, variable

add_arg_scope = contrib_framework.add_arg_scope
v1 = tf.compat.v1
_zeros = v1.zeros_initializer()
_xavier = xavier_initializer()


# Dimensions of an image, or of another field -> formats of its batches, NHWC's first.
FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


@add_arg_scope
def convolution(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format=None,
    rate=1,
    activation_fn=tf.nn.relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
    conv_dims=None,
):
    """A convolution of [batch, ..., channels], or channels first by `data_format`."""
    if data_format not in (None, *(name for two in FORMATS.values() for name in two)):
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with v1.variable_scope(scope, "Conv", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        dims = inputs.shape.rank - 2
        if dims not in FORMATS or conv_dims not in (None, dims):
            raise ValueError(f"Convolution of inputs with rank {inputs.shape.rank}")
        first = bool(data_format) and data_format.startswith("NC")
        data_format = FORMATS[dims][first]
        sizes = per_dimension(kernel_size, dims)
        given = trainable, variables_collections
        weights = variable(
            "weights",
            [*sizes, inputs.shape[1 if first else -1], num_outputs],
            inputs.dtype,
            weights_initializer,
            weights_regularizer,
            *given,
        )
        biases = None
        if normalizer_fn is None and biases_initializer is not None:
            biases = variable(
                "biases",
                [num_outputs],
                inputs.dtype,
                biases_initializer,
                biases_regularizer,
                *given,
            )
        outputs = tf.nn.convolution(
            inputs, weights, stride, padding.upper(), data_format, dilations=rate
        )
        outputs = normalised(
            outputs,
            normalizer_fn,
            normalizer_params,
            biases,
            "NC..." if first else "N...C",
        )
        return finished(outputs, activation_fn, outputs_collections, opened.name)


def _of_dimensions(dims, name):
    """The convolution of inputs with so many dimensions, a function of its own."""
    plain = convolution.__wrapped__

    @functools.wraps(plain)
    def convolved(*args, **kwargs):
        return plain(*args, **{**kwargs, "conv_dims": dims})

    convolved.__name__ = name
    return add_arg_scope(convolved)


conv1d = convolution1d = _of_dimensions(1, "convolution1d")
conv2d = convolution2d = _of_dimensions(2, "convolution2d")
conv3d = convolution3d = _of_dimensions(3, "convolution3d")


@add_arg_scope
def convolution2d_transpose(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format="NHWC",
    activation_fn=tf.nn.relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """A transposed convolution: each pixel becomes a patch, patches are added up."""
    with v1.variable_scope(scope, "Conv2d_transpose", [inputs], reuse=reuse) as opened:
        data_format = format_of(data_format)
        inputs = tf.convert_to_tensor(inputs)
        sizes, strides = pair(kernel_size), pair(stride)
        given = trainable, variables_collections
        weights = variable(
            "weights",
            [*sizes, num_outputs, inputs.shape[data_format.index("C")]],
            inputs.dtype,
            weights_initializer,
            weights_regularizer,
            *given,
        )
        biases = None
        if normalizer_fn is None and biases_initializer is not None:
            biases = variable(
                "biases",
                [num_outputs],
                inputs.dtype,
                biases_initializer,
                biases_regularizer,
                *given,
            )
        static, shape, steps = inputs.shape.as_list(), tf.shape(inputs), [1, 1, 1, 1]
        known, whole = list(static), [shape[i] for i in range(4)]
        for axis, size, step in zip("HW", sizes, strides):
            at = data_format.index(axis)
            more = max(size - step, 0) if padding.upper() == "VALID" else 0
            steps[at] = step
            whole[at] = whole[at] * step + more
            known[at] = None if static[at] is None else static[at] * step + more
        whole[data_format.index("C")] = known[data_format.index("C")] = num_outputs
        outputs = tf.nn.conv2d_transpose(
            inputs, weights, tf.stack(whole), steps, padding.upper(), data_format
        )
        outputs.set_shape(known)
        outputs = normalised(
            outputs,
            normalizer_fn,
            normalizer_params,
            biases,
            "NC..." if data_format == "NCHW" else "N...C",
        )
        return finished(outputs, activation_fn, outputs_collections, opened.name)


conv2d_transpose = convolution2d_transpose


@add_arg_scope
def separable_convolution2d(
    inputs,
    num_outputs,
    kernel_size,
    depth_multiplier=1,
    stride=1,
    padding="SAME",
    data_format="NHWC",
    rate=1,
    activation_fn=tf.nn.relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    pointwise_initializer=None,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """A convolution of each channel, then one of 1 x 1; `num_outputs=None` leaves that."""
    data_format = format_of(data_format)
    with v1.variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        channels = inputs.shape[data_format.index("C")]
        given = trainable, _by_kind(variables_collections)
        depthwise = variable(
            "depthwise_weights",
            [*pair(kernel_size), channels, depth_multiplier],
            inputs.dtype,
            weights_initializer,
            weights_regularizer,
            *given,
        )
        pointwise = None
        if num_outputs is not None:
            pointwise = variable(
                "pointwise_weights",
                [1, 1, channels * depth_multiplier, num_outputs],
                inputs.dtype,
                pointwise_initializer or weights_initializer,
                weights_regularizer,
                *given,
            )
        biases = None
        if normalizer_fn is None and biases_initializer is not None:
            biases = variable(
                "biases",
                [num_outputs or channels * depth_multiplier],
                inputs.dtype,
                biases_initializer,
                biases_regularizer,
                *given,
            )
        steps = {**dict.fromkeys("NC", 1), **dict(zip("HW", pair(stride)))}
        outputs = tf.nn.depthwise_conv2d(
            inputs,
            depthwise,
            [steps[axis] for axis in data_format],
            padding.upper(),
            data_format,
            pair(rate),
        )
        if pointwise is not None:
            outputs = tf.nn.conv2d(
                outputs, pointwise, 1, "VALID", data_format=data_format
            )
        outputs = normalised(
            outputs,
            normalizer_fn,
            normalizer_params,
            biases,
            "NC..." if data_format == "NCHW" else "N...C",
        )
        return finished(outputs, activation_fn, outputs_collections, opened.name)


separable_conv2d = separable_convolution2d


def _by_kind(collections):
    """Collections of "weights", for both kernels of a separable convolution."""
    if isinstance(collections, dict):
        weights = collections.get("weights")
        names = ("depthwise_weights", "pointwise_weights")
        return {**collections, **dict.fromkeys(names, weights)}
    return collections
