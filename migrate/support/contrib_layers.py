"""Functions of tf.contrib.layers and slim: same variables, names and defaults.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. The functions build a graph, as they did: call them where
TensorFlow traces a function, as in a model_fn or a step function.
"""

import functools
import math

import tensorflow as tf

try:
    import contrib_framework
except ImportError:  # In a package.
    from . import contrib_framework

add_arg_scope = contrib_framework.add_arg_scope
_collected = contrib_framework.collect_named_outputs
v1 = tf.compat.v1
_Keys = v1.GraphKeys
_zeros, _ones = v1.zeros_initializer(), v1.ones_initializer()


# -- initial values and penalties -----------------------------------------------------


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


# -- layers with variables ------------------------------------------------------------


def _variable(
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
        initializer or xavier_initializer(),
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        aggregation=aggregation,
    )


def _finished(outputs, activation_fn, collections, scope):
    """A layer's outputs, activated, and listed where it was asked."""
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return _collected(collections, scope, outputs)


def _either(condition, then, otherwise):
    """One of two functions' results, chosen now where that is possible."""
    if tf.is_tensor(condition):
        known = tf.get_static_value(condition)
        if known is None:
            return tf.cond(condition, then, otherwise)
        condition = known
    return then() if condition else otherwise()


def _normalized(outputs, normalizer_fn, normalizer_params, biases, data_format="N...C"):
    """Outputs after the normalizer; without one, with biases where there are any."""
    if normalizer_fn is not None:
        return normalizer_fn(outputs, **(normalizer_params or {}))
    return outputs if biases is None else tf.nn.bias_add(outputs, biases, data_format)


def _sizes(value, count):
    """A number for each dimension, of one or so many."""
    return list(value) if isinstance(value, (list, tuple)) else [value] * count


def _pair(value):
    """Height and width, of one number or two."""
    return _sizes(value, 2)


def _format(data_format):
    if data_format not in (None, "NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    return data_format or "NHWC"


@add_arg_scope
def embed_sequence(
    ids,
    vocab_size=None,
    embed_dim=None,
    unique=False,
    initializer=None,
    regularizer=None,
    trainable=True,
    scope=None,
    reuse=None,
):
    """Rows of a table `embeddings`, [..., embed_dim], for ids of any shape."""
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. "
            f"Got vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with v1.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        table = contrib_framework.model_variable(
            "embeddings",
            [vocab_size, embed_dim] if vocab_size and embed_dim else None,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        # `unique` only saves work where ids repeat.
        return v1.nn.embedding_lookup(table, ids)


@add_arg_scope
def fully_connected(
    inputs,
    num_outputs,
    activation_fn=tf.nn.relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=None,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """activation(normalizer(inputs . weights) or inputs . weights + biases)."""
    with v1.variable_scope(scope, "fully_connected", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        given = trainable, variables_collections
        weights = _variable(
            "weights",
            [inputs.shape[-1], num_outputs],
            inputs.dtype,
            weights_initializer,
            weights_regularizer,
            *given,
        )
        biases = None
        if normalizer_fn is None and biases_initializer is not None:
            biases = _variable(
                "biases",
                [num_outputs],
                inputs.dtype,
                biases_initializer,
                biases_regularizer,
                *given,
            )
        if inputs.shape.rank == 2:
            outputs = tf.matmul(inputs, weights)
        else:
            outputs = tf.tensordot(inputs, weights, [[inputs.shape.rank - 1], [0]])
        outputs = _normalized(outputs, normalizer_fn, normalizer_params, biases)
        return _finished(outputs, activation_fn, outputs_collections, opened.name)


elu = functools.partial(fully_connected, activation_fn=tf.nn.elu)
linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=tf.nn.relu6)

# Dimensions of an image, or of another field -> formats of its batches, NHWC's first.
_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


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
    weights_initializer=None,
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
    if data_format not in (None, *(name for two in _FORMATS.values() for name in two)):
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with v1.variable_scope(scope, "Conv", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        dims = inputs.shape.rank - 2
        if dims not in _FORMATS or conv_dims not in (None, dims):
            raise ValueError(f"Convolution of inputs with rank {inputs.shape.rank}")
        first = bool(data_format) and data_format.startswith("NC")
        data_format = _FORMATS[dims][first]
        sizes = _sizes(kernel_size, dims)
        given = trainable, variables_collections
        weights = _variable(
            "weights",
            [*sizes, inputs.shape[1 if first else -1], num_outputs],
            inputs.dtype,
            weights_initializer,
            weights_regularizer,
            *given,
        )
        biases = None
        if normalizer_fn is None and biases_initializer is not None:
            biases = _variable(
                "biases",
                [num_outputs],
                inputs.dtype,
                biases_initializer,
                biases_regularizer,
                *given,
            )
        outputs = tf.nn.convolution(
            inputs, weights, stride, padding, data_format, dilations=rate
        )
        outputs = _normalized(
            outputs,
            normalizer_fn,
            normalizer_params,
            biases,
            "NC..." if first else "N...C",
        )
        return _finished(outputs, activation_fn, outputs_collections, opened.name)


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
    weights_initializer=None,
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
        data_format = _format(data_format)
        inputs = tf.convert_to_tensor(inputs)
        sizes, strides = _pair(kernel_size), _pair(stride)
        given = trainable, variables_collections
        weights = _variable(
            "weights",
            [*sizes, num_outputs, inputs.shape[data_format.index("C")]],
            inputs.dtype,
            weights_initializer,
            weights_regularizer,
            *given,
        )
        biases = None
        if normalizer_fn is None and biases_initializer is not None:
            biases = _variable(
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
        outputs = _normalized(
            outputs,
            normalizer_fn,
            normalizer_params,
            biases,
            "NC..." if data_format == "NCHW" else "N...C",
        )
        return _finished(outputs, activation_fn, outputs_collections, opened.name)


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
    weights_initializer=None,
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
    data_format = _format(data_format)
    with v1.variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        channels = inputs.shape[data_format.index("C")]
        given = trainable, _by_kind(variables_collections)
        depthwise = _variable(
            "depthwise_weights",
            [*_pair(kernel_size), channels, depth_multiplier],
            inputs.dtype,
            weights_initializer,
            weights_regularizer,
            *given,
        )
        pointwise = None
        if num_outputs is not None:
            pointwise = _variable(
                "pointwise_weights",
                [1, 1, channels * depth_multiplier, num_outputs],
                inputs.dtype,
                pointwise_initializer or weights_initializer,
                weights_regularizer,
                *given,
            )
        biases = None
        if normalizer_fn is None and biases_initializer is not None:
            biases = _variable(
                "biases",
                [num_outputs or channels * depth_multiplier],
                inputs.dtype,
                biases_initializer,
                biases_regularizer,
                *given,
            )
        steps = {**dict.fromkeys("NC", 1), **dict(zip("HW", _pair(stride)))}
        outputs = tf.nn.depthwise_conv2d(
            inputs,
            depthwise,
            [steps[axis] for axis in data_format],
            padding.upper(),
            data_format,
            _pair(rate),
        )
        if pointwise is not None:
            outputs = tf.nn.conv2d(
                outputs, pointwise, 1, "VALID", data_format=data_format
            )
        outputs = _normalized(
            outputs,
            normalizer_fn,
            normalizer_params,
            biases,
            "NC..." if data_format == "NCHW" else "N...C",
        )
        return _finished(outputs, activation_fn, outputs_collections, opened.name)


separable_conv2d = separable_convolution2d


def _by_kind(collections):
    """Collections of "weights", for both kernels of a separable convolution."""
    if isinstance(collections, dict):
        weights = collections.get("weights")
        names = ("depthwise_weights", "pointwise_weights")
        return {**collections, **dict.fromkeys(names, weights)}
    return collections


@add_arg_scope
def bias_add(
    inputs,
    activation_fn=None,
    initializer=_zeros,
    regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    data_format="NHWC",
    scope=None,
):
    """Inputs with biases of their channels."""
    with v1.variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        first = _format(data_format) == "NCHW"
        biases = _variable(
            "biases",
            [inputs.shape[1 if first else -1]],
            inputs.dtype,
            initializer,
            regularizer,
            trainable,
            variables_collections,
        )
        outputs = tf.nn.bias_add(inputs, biases, "NC..." if first else "N...C")
        return _finished(outputs, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def layer_norm(
    inputs,
    center=True,
    scale=True,
    activation_fn=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    begin_norm_axis=1,
    begin_params_axis=-1,
    scope=None,
):
    """gamma * (inputs - mean) / sqrt(variance + 1e-12) + beta."""
    with v1.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        rank, shape = inputs.shape.rank, inputs.shape[begin_params_axis:]
        given = None, trainable, variables_collections
        beta = gamma = None
        if center:
            beta = _variable("beta", shape, inputs.dtype, _zeros, *given)
        if scale:
            gamma = _variable("gamma", shape, inputs.dtype, _ones, *given)
        axes = list(range(begin_norm_axis % rank, rank))
        mean, variance = tf.nn.moments(inputs, axes, keepdims=True)
        epsilon = 1e-3 if inputs.dtype == tf.float16 else 1e-12
        outputs = tf.nn.batch_normalization(
            inputs, mean, variance, beta, gamma, epsilon
        )
        return _finished(outputs, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def batch_norm(
    inputs,
    decay=0.999,
    center=True,
    scale=False,
    epsilon=0.001,
    activation_fn=None,
    param_initializers=None,
    param_regularizers=None,
    updates_collections=_Keys.UPDATE_OPS,
    is_training=True,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    batch_weights=None,
    fused=None,
    data_format="NHWC",
    zero_debias_moving_mean=False,
    scope=None,
    renorm=False,
    renorm_clipping=None,
    renorm_decay=0.99,
    adjustment=None,
):
    """Batch normalisation over all dimensions but the channels'.

    Its averages are moved by operations in `updates_collections`, or with the outputs
    where that is None. Of two or four dimensions the variance that is kept has Bessel's
    correction, as TF1's had (`fused`).

    Raises:
      ValueError: another form of normalisation than TF1's default is asked for.
    """
    special = batch_weights is not None or renorm or adjustment is not None
    if special or zero_debias_moving_mean:
        raise ValueError(
            "batch_weights, renorm, adjustment and zero_debias_moving_mean are not "
            "supported"
        )
    data_format = _format(data_format)
    with v1.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        rank, first = inputs.shape.rank, data_format == "NCHW"
        fused = rank in (2, 4) and fused is not False
        channels = inputs.shape[1 if first else -1]

        def parameter(name, default, exists=True, trained=True):
            if not exists:
                return default([channels], tf.float32)
            return _variable(
                name,
                [channels],
                tf.float32 if fused else inputs.dtype,
                (param_initializers or {}).get(name, default),
                (param_regularizers or {}).get(name) if trained else None,
                trainable and trained,
                variables_collections,
                # Replicas that keep pace move the averages together.
                tf.VariableAggregation.NONE if trained else tf.VariableAggregation.MEAN,
            )

        beta = parameter("beta", _zeros, center)
        gamma = parameter("gamma", _ones, scale)
        moving = [
            parameter("moving_mean", _zeros, trained=False),
            parameter("moving_variance", _ones, trained=False),
        ]
        if fused:
            normalize = _fused(inputs, gamma, beta, epsilon, data_format)
        else:
            normalize = _plainly(
                inputs,
                gamma if scale else None,
                beta if center else None,
                epsilon,
                first,
            )
        outputs, mean, variance = _either(
            is_training,
            normalize,
            lambda: normalize(mean=moving[0], variance=moving[1], is_training=False),
        )

        def updates():
            # No branch: replicas that keep pace meet in an update, which none may hold.
            rate = 1.0 - decay
            if tf.is_tensor(is_training):
                rate = tf.where(is_training, tf.cast(rate, mean.dtype), 0)
            return [
                average.assign_sub((average - value) * rate)
                for average, value in zip(moving, (mean, variance))
            ]

        if tf.is_tensor(is_training) or is_training:
            if updates_collections is None:
                with tf.control_dependencies(updates()):
                    outputs = tf.identity(outputs)
            else:
                contrib_framework.add_updates(updates_collections, updates)
        outputs = tf.reshape(outputs, tf.shape(inputs)) if rank == 2 else outputs
        outputs.set_shape(inputs.shape)
        return _finished(outputs, activation_fn, outputs_collections, opened.name)


def _fused(inputs, gamma, beta, epsilon, data_format):
    """The kernel that normalises images: gives outputs, mean and variance."""
    if inputs.shape.rank == 2:
        channels = inputs.shape[1]
        sizes = {"N": -1, "C": channels, "H": 1, "W": 1}
        inputs = tf.reshape(inputs, [sizes[axis] for axis in data_format])
    return functools.partial(
        v1.nn.fused_batch_norm,
        inputs,
        gamma,
        beta,
        epsilon=epsilon,
        data_format=data_format,
    )


def _plainly(inputs, gamma, beta, epsilon, first):
    """What the kernel computes, by its formula and of any rank."""
    axes = [
        i
        for i in range(inputs.shape.rank)
        if i != (1 if first else -1) % inputs.shape.rank
    ]

    def shaped(value):
        if value is None or not first:
            return value
        return tf.reshape(value, [1, -1] + [1] * (inputs.shape.rank - 2))

    def normalize(mean=None, variance=None, is_training=True):
        if is_training:
            mean, variance = tf.nn.moments(inputs, axes)
        mean, variance = tf.convert_to_tensor(mean), tf.convert_to_tensor(variance)
        outputs = tf.nn.batch_normalization(
            inputs,
            shaped(mean),
            shaped(variance),
            shaped(beta),
            shaped(gamma),
            epsilon,
        )
        return outputs, mean, variance

    return normalize


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
        outputs = _either(
            is_training,
            lambda: tf.nn.dropout(inputs, 1.0 - keep_prob, noise_shape, seed),
            lambda: tf.identity(inputs),
        )
        return _finished(outputs, None, outputs_collections, opened.name)


# -- layers without variables ---------------------------------------------------------


def _pooling(kind, of_images, default_scope, function_name):
    """A pooling layer of images, or of volumes."""
    formats = _FORMATS[2 if of_images else 3]

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
                _sizes(kernel_size, len(formats[0]) - 2),
                kind,
                _sizes(stride, len(formats[0]) - 2),
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


# -- several layers -------------------------------------------------------------------


def _scope_of(layer, default):
    return getattr(getattr(layer, "func", layer), "__name__", default)


def stack(inputs, layer, stack_args, **kwargs):
    """A layer applied again and again: `layer(..., *args)` for each of `stack_args`."""
    scope = kwargs.pop("scope", None)
    with v1.variable_scope(scope, "Stack", [inputs]):
        name = scope or _scope_of(layer, "stack")
        for i, args in enumerate(stack_args, 1):
            args = args if isinstance(args, (list, tuple)) else [args]
            inputs = layer(inputs, *args, **{**kwargs, "scope": f"{name}_{i}"})
        return inputs


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """A layer applied so many times, with the same arguments."""
    scope = kwargs.pop("scope", None)
    with v1.variable_scope(scope, "Repeat", [inputs]):
        name = scope or _scope_of(layer, "repeat")
        for i in range(1, repetitions + 1):
            inputs = layer(inputs, *args, **{**kwargs, "scope": f"{name}_{i}"})
        return inputs
