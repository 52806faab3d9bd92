"""Batch and layer normalisation, with TF1's moving averages."""

import functools

import tensorflow as tf

try:
    import contrib_framework
except ImportError:  # In a package.
    from .. import contrib_framework

from .shared import either, finished, format_of, variable

add_arg_scope = contrib_framework.add_arg_scope
v1 = tf.compat.v1
_Keys = v1.GraphKeys
_zeros = v1.zeros_initializer()
_ones = v1.ones_initializer()


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
            beta = variable("beta", shape, inputs.dtype, _zeros, *given)
        if scale:
            gamma = variable("gamma", shape, inputs.dtype, _ones, *given)
        axes = list(range(begin_norm_axis % rank, rank))
        mean, variance = tf.nn.moments(inputs, axes, keepdims=True)
        epsilon = 1e-3 if inputs.dtype == tf.float16 else 1e-12
        outputs = tf.nn.batch_normalization(
            inputs, mean, variance, beta, gamma, epsilon
        )
        return finished(outputs, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def instance_norm(
    inputs,
    center=True,
    scale=True,
    epsilon=1e-6,
    activation_fn=None,
    param_initializers=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    data_format="NHWC",
    scope=None,
):
    """Normalises each channel of each example by itself."""
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    axis = 1 if format_of(data_format) == "NCHW" else rank - 1
    shape = inputs.shape[axis : axis + 1]
    if not shape.is_fully_defined():
        raise ValueError(
            f"Inputs {inputs.name} has undefined channels dimension {shape}."
        )
    with v1.variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as opened:
        made = param_initializers or {}
        given = None, trainable, variables_collections
        beta = gamma = None
        if center:
            first = made.get("beta", _zeros)
            beta = variable("beta", shape, inputs.dtype, first, *given)
        if scale:
            first = made.get("gamma", _ones)
            gamma = variable("gamma", shape, inputs.dtype, first, *given)
        if axis == 1:
            broad = [1, shape.as_list()[0]] + [1] * (rank - 2)
            beta, gamma = (
                None if v is None else tf.reshape(v, broad) for v in (beta, gamma)
            )
        axes = [d for d in range(1, rank) if d != axis]
        mean, variance = tf.nn.moments(inputs, axes, keepdims=True)
        outputs = tf.nn.batch_normalization(
            inputs, mean, variance, beta, gamma, epsilon, name="instancenorm"
        )
        return finished(outputs, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def group_norm(
    inputs,
    groups=32,
    channels_axis=-1,
    reduction_axes=(-3, -2),
    center=True,
    scale=True,
    epsilon=1e-6,
    activation_fn=None,
    param_initializers=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
    mean_close_to_zero=False,
):
    """Normalises groups of the channels of each example."""
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if channels_axis > rank - 1 or any(axis > rank for axis in reduction_axes):
        raise ValueError("Axis is out of bounds.")
    known, asked = inputs.shape.as_list(), tf.shape(inputs)
    sizes = [asked[i] if size is None else size for i, size in enumerate(known)]
    axis = channels_axis + rank if channels_axis < 0 else channels_axis
    reduced = [a + rank if a < 0 else a for a in reduction_axes]
    channels = known[axis]
    if channels is None or any(known[a] is None for a in reduced):
        raise ValueError(f"Inputs {inputs.name} has undefined dimensions.")
    if axis in reduced:
        raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    if groups > channels or channels % groups:
        raise ValueError(
            f"{channels} channels is not commensurate with {groups} groups."
        )
    split = [groups, channels // groups]
    broad = [1] * axis + split + [1] * (rank - axis - 1)
    inputs = tf.reshape(inputs, [*sizes[:axis], *split, *sizes[axis + 1 :]])
    axes = [axis + 1, *(a + 1 if a > axis else a for a in reduced)]
    with v1.variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as opened:
        made = param_initializers or {}
        given = None, trainable, variables_collections
        beta = gamma = None
        if center:
            first = made.get("beta", _zeros)
            beta = variable("beta", [channels], inputs.dtype, first, *given)
            beta = tf.reshape(beta, broad)
        if scale:
            first = made.get("gamma", _ones)
            gamma = variable("gamma", [channels], inputs.dtype, first, *given)
            gamma = tf.reshape(gamma, broad)
        if mean_close_to_zero:
            count, total, squares, _ = tf.nn.sufficient_statistics(
                inputs, axes, keepdims=True
            )
            mean, variance = tf.nn.normalize_moments(count, total, squares, shift=None)
        else:
            mean, variance = tf.nn.moments(inputs, axes, keepdims=True)
        gain = tf.math.rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain *= gamma
            offset *= gamma
        if beta is not None:
            offset += beta
        outputs = tf.reshape(inputs * gain + offset, sizes)
        return finished(outputs, activation_fn, outputs_collections, opened.name)


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
    data_format = format_of(data_format)
    with v1.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        rank, first = inputs.shape.rank, data_format == "NCHW"
        fused = rank in (2, 4) and fused is not False
        channels = inputs.shape[1 if first else -1]

        def parameter(name, default, exists=True, trained=True):
            if not exists:
                return default([channels], tf.float32)
            return variable(
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
        outputs, mean, variance = either(
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
        return finished(outputs, activation_fn, outputs_collections, opened.name)


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
