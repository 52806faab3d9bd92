"""Functions of tf.contrib.layers in a model_fn: same variables, names and defaults.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. The functions build a graph, as they did: call them in a
model_fn, or in what it calls.
"""

import functools

import tensorflow as tf

v1 = tf.compat.v1
_Keys = v1.GraphKeys
_zeros, _ones = v1.zeros_initializer(), v1.ones_initializer()


def _variable(
    name,
    shape,
    dtype,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
):
    """A variable, listed in MODEL_VARIABLES as well.

    Args:
      collections: names of more collections, or a dict of such lists by variable.
    """
    if isinstance(collections, dict):
        collections = collections.get(name)
    if isinstance(collections, str):
        collections = [collections]
    listed = [_Keys.GLOBAL_VARIABLES, _Keys.MODEL_VARIABLES, *(collections or ())]
    return v1.get_variable(
        name,
        shape,
        dtype,
        initializer or v1.glorot_uniform_initializer(),
        regularizer=regularizer,
        trainable=trainable,
        collections=list(dict.fromkeys(listed)),
    )


def _finished(outputs, activation_fn, collections):
    """A layer's outputs, activated, and listed where it was asked."""
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    v1.add_to_collections(collections or (), outputs)
    return outputs


def _either(condition, then, otherwise):
    """One of two functions' results, chosen now where that is possible."""
    if tf.is_tensor(condition):
        return tf.cond(condition, then, otherwise)
    return then() if condition else otherwise()


def _normalized(outputs, normalizer_fn, normalizer_params, biases, data_format="N...C"):
    """Outputs after the normalizer; without one, with biases where there are any."""
    if normalizer_fn is not None:
        return normalizer_fn(outputs, **(normalizer_params or {}))
    return outputs if biases is None else tf.nn.bias_add(outputs, biases, data_format)


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
        table = v1.get_variable(
            "embeddings",
            [vocab_size, embed_dim] if vocab_size and embed_dim else None,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        # `unique` only saves work where ids repeat.
        return v1.nn.embedding_lookup(table, ids)


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
    with v1.variable_scope(scope, "fully_connected", [inputs], reuse=reuse):
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
        return _finished(outputs, activation_fn, outputs_collections)


def conv2d(
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
):
    """A convolution of [batch, height, width, channels], or NCHW by `data_format`."""
    data_format = data_format or "NHWC"
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(f"Invalid data_format: {data_format}")
    with v1.variable_scope(scope, "Conv", [inputs], reuse=reuse):
        inputs = tf.convert_to_tensor(inputs)
        if inputs.shape.rank != 4:
            raise ValueError(f"inputs have shape {inputs.shape}, not four dimensions")
        sizes = (
            kernel_size if isinstance(kernel_size, (list, tuple)) else [kernel_size] * 2
        )
        given = trainable, variables_collections
        weights = _variable(
            "weights",
            [*sizes, inputs.shape[data_format.index("C")], num_outputs],
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
            outputs, normalizer_fn, normalizer_params, biases, data_format
        )
        return _finished(outputs, activation_fn, outputs_collections)


convolution = convolution2d = conv2d


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
    with v1.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse):
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
        return _finished(outputs, activation_fn, outputs_collections)


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
    """Batch normalisation of [batch, channels] or four dimensions.

    Its averages are moved by operations in `updates_collections`, or with the outputs
    where that is None. The variance has Bessel's correction, as TF1's had.

    Raises:
      ValueError: the inputs have another rank, or another form of normalisation than
        TF1's default is asked for.
    """
    special = batch_weights is not None or renorm or adjustment is not None
    if special or zero_debias_moving_mean or fused is False:
        raise ValueError(
            "batch_weights, renorm, adjustment, zero_debias_moving_mean and fused=False "
            "are not supported"
        )
    with v1.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse):
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank not in (2, 4):
            raise ValueError(f"inputs have shape {inputs.shape}, not 2 or 4 dimensions")
        channels = inputs.shape[data_format.index("C") if rank == 4 else 1]
        images = inputs
        if rank == 2:
            sizes = {"N": -1, "C": channels, "H": 1, "W": 1}
            images = tf.reshape(inputs, [sizes[axis] for axis in data_format])

        def parameter(name, default, exists=True, trained=True):
            if not exists:
                return default([channels], tf.float32)
            return _variable(
                name,
                [channels],
                tf.float32,
                (param_initializers or {}).get(name, default),
                (param_regularizers or {}).get(name) if trained else None,
                trainable and trained,
                variables_collections,
            )

        beta = parameter("beta", _zeros, center)
        gamma = parameter("gamma", _ones, scale)
        moving = [
            parameter("moving_mean", _zeros, trained=False),
            parameter("moving_variance", _ones, trained=False),
        ]
        normalize = functools.partial(
            v1.nn.fused_batch_norm,
            images,
            gamma,
            beta,
            epsilon=epsilon,
            data_format=data_format,
        )
        outputs, mean, variance = _either(
            is_training,
            normalize,
            lambda: normalize(mean=moving[0], variance=moving[1], is_training=False),
        )

        def update():
            return [
                average.assign_sub((average - value) * (1.0 - decay))
                for average, value in zip(moving, (mean, variance))
            ]

        if tf.is_tensor(is_training) or is_training:
            updates = _either(
                is_training, update, lambda: [v.read_value() for v in moving]
            )
            if updates_collections is None:
                with tf.control_dependencies(updates):
                    outputs = tf.identity(outputs)
            else:
                for one in updates:
                    v1.add_to_collections(updates_collections, one)
        outputs = tf.reshape(outputs, tf.shape(inputs)) if rank == 2 else outputs
        outputs.set_shape(inputs.shape)
        return _finished(outputs, activation_fn, outputs_collections)


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
    with v1.variable_scope(scope, "Dropout", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        outputs = _either(
            is_training,
            lambda: tf.nn.dropout(inputs, 1.0 - keep_prob, noise_shape, seed),
            lambda: tf.identity(inputs),
        )
        return _finished(outputs, None, outputs_collections)


def _scope_of(layer, default):
    return getattr(getattr(layer, "func", layer), "__name__", default)


def stack(inputs, layer, stack_args, **kwargs):
    """A layer applied again and again: `layer(..., *args)` for each of `stack_args`."""
    scope, reuse = kwargs.pop("scope", None), kwargs.pop("reuse", None)
    with v1.variable_scope(scope, "Stack", [inputs], reuse=reuse):
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


# -- training operations ------------------------------------------------------------

_OPTIMIZERS = {
    "Adagrad": v1.train.AdagradOptimizer,
    "Adam": v1.train.AdamOptimizer,
    "Ftrl": v1.train.FtrlOptimizer,
    "Momentum": lambda learning_rate: v1.train.MomentumOptimizer(learning_rate, 0.9),
    "RMSProp": v1.train.RMSPropOptimizer,
    "SGD": v1.train.GradientDescentOptimizer,
}
_SUMMARIES = ("loss", "learning_rate", "global_gradient_norm")


def optimize_loss(
    loss,
    global_step,
    learning_rate,
    optimizer,
    gradient_noise_scale=None,
    gradient_multipliers=None,
    clip_gradients=None,
    learning_rate_decay_fn=None,
    update_ops=None,
    variables=None,
    name=None,
    summaries=None,
    colocate_gradients_with_ops=False,
    increment_global_step=True,
):
    """The loss, as a tensor that is computed after an update; parameters are TF1's.

    Raises:
      ValueError: gradients are to get noise, or to be summarized one by one; a value
        that TF1 did not take either.
    """
    if gradient_noise_scale is not None or gradient_multipliers is not None:
        raise ValueError("gradient noise and multipliers are not supported")
    summaries = _SUMMARIES if summaries is None else summaries
    if not set(summaries) <= set(_SUMMARIES):
        raise ValueError(
            f"Summaries should be of {_SUMMARIES}, you provided {summaries}."
        )
    if global_step is None:
        global_step = v1.train.get_global_step()
    with v1.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        if update_ops is None:
            update_ops = v1.get_collection(_Keys.UPDATE_OPS)
        with tf.control_dependencies(list(update_ops)):
            loss = tf.identity(loss)
        rate = learning_rate
        if isinstance(rate, float):
            rate = v1.get_variable(
                "learning_rate",
                [],
                trainable=False,
                initializer=v1.constant_initializer(rate),
            )
        elif rate is not None and not tf.is_tensor(rate):
            raise ValueError(f"Learning rate should be 0d Tensor or float. Got {rate}")
        if rate is not None and learning_rate_decay_fn is not None:
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in summaries:
                v1.summary.scalar("learning_rate", rate)
        if isinstance(optimizer, str):
            optimizer = _OPTIMIZERS[optimizer](learning_rate=rate)
        elif not isinstance(optimizer, v1.train.Optimizer):
            optimizer = optimizer() if rate is None else optimizer(rate)
        gradients = optimizer.compute_gradients(loss, variables)
        normed = "global_gradient_norm" in summaries
        if normed:
            norm = tf.linalg.global_norm([g for g, _ in gradients])
            v1.summary.scalar("global_norm/gradient_norm", norm)
        if isinstance(clip_gradients, float):
            values, of = zip(*gradients)
            gradients = list(zip(tf.clip_by_global_norm(values, clip_gradients)[0], of))
        elif callable(clip_gradients):
            gradients = clip_gradients(gradients)
        elif clip_gradients is not None:
            raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")
        if "loss" in summaries:
            v1.summary.scalar("loss", loss)
        if clip_gradients is not None and normed:
            norm = tf.linalg.global_norm([g for g, _ in gradients])
            v1.summary.scalar("global_norm/clipped_gradient_norm", norm)
        update = optimizer.apply_gradients(
            gradients,
            global_step=global_step if increment_global_step else None,
            name="train",
        )
        with tf.control_dependencies([update]):
            return tf.identity(loss)


_DEFAULT_STEP = object()


def create_train_op(
    total_loss,
    optimizer,
    global_step=_DEFAULT_STEP,
    update_ops=None,
    variables_to_train=None,
    transform_grads_fn=None,
    summarize_gradients=False,
    gate_gradients=1,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    check_numerics=True,
):
    """tf.contrib.training's: the loss, as a tensor that is computed after an update."""
    if global_step is _DEFAULT_STEP:
        global_step = v1.train.get_or_create_global_step()
    if update_ops is None:
        update_ops = v1.get_collection(_Keys.UPDATE_OPS)
    with tf.control_dependencies(list(update_ops)):
        total_loss = tf.identity(total_loss)
    gradients = optimizer.compute_gradients(total_loss, variables_to_train)
    if transform_grads_fn:
        gradients = transform_grads_fn(gradients)
    if summarize_gradients:
        for gradient, variable in gradients:
            if gradient is not None:
                name = variable.name.partition(":")[0]
                values = getattr(gradient, "values", gradient)
                with v1.name_scope("summarize_grads"):
                    v1.summary.histogram(f"{name}/gradient", values)
                    norm = tf.linalg.global_norm([values])
                    v1.summary.scalar(f"{name}/gradient_norm", norm)
    update = optimizer.apply_gradients(gradients, global_step=global_step)
    with tf.control_dependencies([update]):
        if check_numerics:
            return tf.debugging.check_numerics(total_loss, "LossTensor is inf or nan")
        return tf.identity(total_loss)
