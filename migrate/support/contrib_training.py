"""Functions of tf.contrib and slim that make training operations, in a graph.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. The functions build a graph, as they did: call them in a
model_fn, or in what it calls.
"""

import functools

import tensorflow as tf

v1 = tf.compat.v1
_Keys = v1.GraphKeys

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
        with v1.name_scope("summarize_grads"):
            add_gradients_summaries(gradients)
    update = optimizer.apply_gradients(gradients, global_step=global_step)
    with tf.control_dependencies([update]):
        if check_numerics:
            return tf.debugging.check_numerics(total_loss, "LossTensor is inf or nan")
        return tf.identity(total_loss)


def add_gradients_summaries(grads_and_vars):
    """tf.contrib.training's: a histogram and the norm of each gradient."""
    return _summarize_gradients(grads_and_vars, "_")


def add_slim_gradients_summaries(grads_and_vars):
    """slim.learning's: as above, with the variable as a directory of the tags."""
    return _summarize_gradients(grads_and_vars, "/")


def _summarize_gradients(grads_and_vars, between):
    made = []
    for gradient, variable in grads_and_vars:
        name = variable.name.partition(":")[0]
        if gradient is None:
            v1.logging.info("Var %s has no gradient", name)
            continue
        values = getattr(gradient, "values", gradient)
        norm = tf.linalg.global_norm([values])
        made.append(v1.summary.histogram(f"{name}{between}gradient", values))
        made.append(v1.summary.scalar(f"{name}{between}gradient_norm", norm))
    return made


def clip_gradient_norms(gradients_to_variables, max_norm):
    """Each gradient by itself, no longer than `max_norm`."""
    return [
        (
            None
            if g is None
            else _of_values(g, lambda x: tf.clip_by_norm(x, max_norm)),
            v,
        )
        for g, v in gradients_to_variables
    ]


def multiply_gradients(grads_and_vars, gradient_multipliers):
    """Gradients times the numbers that a dict has for their variables, or their names.

    Raises:
      ValueError: there are no multipliers, or a gradient to be multiplied is None.
    """
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    # A variable of TF2 cannot be a key where it is compared by value.
    named = {
        key if isinstance(key, str) else key.name.partition(":")[0]: value
        for key, value in gradient_multipliers.items()
    }
    found = []
    for gradient, variable in grads_and_vars:
        by = named.get(variable.name.partition(":")[0])
        if by is not None:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            times = functools.partial(_times, by)
            gradient = _of_values(gradient, times)
        found.append((gradient, variable))
    return found


def _times(factor, values):
    return values * tf.cast(factor, values.dtype)


def _of_values(gradient, function):
    """A function of a gradient's values, which may be rows of a sparse one."""
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(
            function(gradient.values), gradient.indices, gradient.dense_shape
        )
    return function(gradient)


def create_slim_train_op(
    total_loss,
    optimizer,
    global_step=_DEFAULT_STEP,
    update_ops=None,
    variables_to_train=None,
    clip_gradient_norm=0,
    summarize_gradients=False,
    gate_gradients=1,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    gradient_multipliers=None,
    check_numerics=True,
):
    """slim.learning's: as above, with multiplied and clipped gradients."""

    def transformed(gradients):
        if gradient_multipliers:
            gradients = multiply_gradients(gradients, gradient_multipliers)
        if clip_gradient_norm > 0:
            gradients = clip_gradient_norms(gradients, clip_gradient_norm)
        return gradients

    return create_train_op(
        total_loss,
        optimizer,
        global_step,
        update_ops,
        variables_to_train,
        transformed,
        summarize_gradients,
        check_numerics=check_numerics,
    )
