"""What a linear model and a network compute."""

import tensorflow as tf

try:
    import estimator_loop
except ImportError:  # In a package.
    from .. import estimator_loop


v1 = tf.compat.v1


def partitioner_of(config, min_slice_size):
    """Splits variables over parameter servers; without these it names them as if it did.

    A part is `kernel/part_0`, which the names of its slots in checkpoints are made from.
    """
    return v1.min_max_variable_partitioner(
        max_partitions=max(1, config.num_ps_replicas), min_slice_size=min_slice_size
    )


# Where a variable is split if it has that many bytes for each part.
SMALL, LARGE = 256 << 10, 64 << 20


def activation_summary(value, name):
    v1.summary.scalar(f"{name}/fraction_of_zero_values", tf.math.zero_fraction(value))
    v1.summary.histogram(f"{name}/activation", value)


def dnn_logits(
    features,
    mode,
    units,
    columns,
    hidden_units,
    activation_fn,
    dropout,
    batch_norm,
    partitioner,
):
    """Logits of a network on an input layer of feature columns; [batch, units]."""
    training = mode == estimator_loop.ModeKeys.TRAIN
    with v1.variable_scope("input_from_feature_columns", partitioner=partitioner):
        net = v1.feature_column.input_layer(features, columns)
    scope = v1.get_variable_scope().name
    for number, width in enumerate(hidden_units):
        name = f"hiddenlayer_{number}"
        net = estimator_loop.layers.dense(
            net,
            width,
            activation=activation_fn,
            kernel_initializer=v1.glorot_uniform_initializer(),
            name=name,
        )
        if dropout is not None and training:
            net = estimator_loop.layers.dropout(net, dropout, training=True)
        if batch_norm:
            with v1.variable_scope(name):
                net = estimator_loop.layers.batch_normalization(
                    net, momentum=0.999, training=training, name=f"batchnorm_{number}"
                )
        activation_summary(net, f"{scope}/{name}")
    logits = estimator_loop.layers.dense(
        net, units, kernel_initializer=v1.glorot_uniform_initializer(), name="logits"
    )
    activation_summary(logits, f"{scope}/logits")
    return logits


def linear_logits(features, units, columns, sparse_combiner):
    """Logits of a weighted sum of feature columns, and a bias; [batch, units]."""
    variables = {}
    logits = v1.feature_column.linear_model(
        features,
        columns,
        units=units,
        sparse_combiner=sparse_combiner,
        cols_to_vars=variables,
    )
    (bias,) = variables.pop("bias")
    if units > 1:
        v1.summary.histogram("bias", bias)
    else:
        v1.summary.scalar("bias", bias[0])
    weights = [tf.reshape(v, [-1]) for v in tf.nest.flatten(list(variables.values()))]
    v1.summary.scalar(
        "fraction_of_zero_weights", tf.math.zero_fraction(tf.concat(weights, 0))
    )
    return logits
