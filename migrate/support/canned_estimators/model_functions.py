"""The model functions of ready-made Estimators."""

import tensorflow as tf

from .logits import (
    LARGE,
    SMALL,
    activation_summary,
    dnn_logits,
    linear_logits,
    partitioner_of,
)
from .optimizers import RATES, get_optimizer_instance, linear_rate

v1 = tf.compat.v1


def _checked_features(features):
    if not isinstance(features, dict):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


def dnn_model_fn(
    head,
    columns,
    hidden_units,
    optimizer,
    activation_fn,
    dropout,
    partitioner,
    batch_norm,
):
    columns = tuple(columns or ())

    def model_fn(features, labels, mode, config):
        _checked_features(features)
        with v1.variable_scope("dnn", partitioner=partitioner_of(config, SMALL)):
            logits = dnn_logits(
                features,
                mode,
                head.logits_dimension,
                columns,
                hidden_units,
                activation_fn,
                dropout,
                batch_norm,
                partitioner or partitioner_of(config, LARGE),
            )

            own = get_optimizer_instance(optimizer, RATES["dnn"])
            return head.create_estimator_spec(features, mode, logits, labels, own)

    return model_fn


def linear_model_fn(head, columns, optimizer, partitioner, sparse_combiner):
    columns = tuple(columns or ())

    def default():
        return v1.train.FtrlOptimizer(linear_rate("linear", columns))

    def model_fn(features, labels, mode, config):
        _checked_features(features)
        split = partitioner or partitioner_of(config, LARGE)
        with v1.variable_scope("linear", partitioner=split):
            logits = linear_logits(
                features, head.logits_dimension, columns, sparse_combiner
            )

            own = get_optimizer_instance(optimizer or default, RATES["linear"])
            return head.create_estimator_spec(features, mode, logits, labels, own)

    return model_fn


def combined_model_fn(
    head,
    linear_columns,
    linear_optimizer,
    dnn_columns,
    dnn_optimizer,
    hidden_units,
    activation_fn,
    dropout,
    partitioner,
    batch_norm,
    sparse_combiner,
):
    linear_columns, dnn_columns = tuple(linear_columns or ()), tuple(dnn_columns or ())
    if not linear_columns and not dnn_columns:
        raise ValueError(
            "Either linear_feature_columns or dnn_feature_columns must be defined."
        )
    if dnn_columns and not hidden_units:
        raise ValueError(
            "dnn_hidden_units must be defined when dnn_feature_columns is specified."
        )

    def model_fn(features, labels, mode, config):
        _checked_features(features)
        split = partitioner or partitioner_of(config, LARGE)
        parts, optimizers = [], []  # Logits; (scope, optimizer, rate).
        if dnn_columns:
            with v1.variable_scope(
                "dnn", partitioner=partitioner_of(config, SMALL)
            ) as scope:
                parts.append(
                    dnn_logits(
                        features,
                        mode,
                        head.logits_dimension,
                        dnn_columns,
                        hidden_units,
                        activation_fn,
                        dropout,
                        batch_norm,
                        split,
                    )
                )
            optimizers.append((scope.name, dnn_optimizer, RATES["combined dnn"]))
        if linear_columns:
            with v1.variable_scope("linear", partitioner=split) as scope:
                logits = linear_logits(
                    features, head.logits_dimension, linear_columns, sparse_combiner
                )
                activation_summary(logits, scope.name)
            parts.append(logits)
            rate = linear_rate("combined linear", linear_columns)
            optimizers.append((scope.name, linear_optimizer, rate))

        def train_op(loss):
            updates = [
                get_optimizer_instance(given, rate).minimize(
                    loss,
                    var_list=v1.get_collection(
                        v1.GraphKeys.TRAINABLE_VARIABLES, scope=scope
                    ),
                )
                for scope, given, rate in optimizers
            ]
            with tf.control_dependencies(updates):
                return v1.assign_add(v1.train.get_global_step(), 1)

        logits = sum(parts[1:], parts[0])
        return head.create_estimator_spec(
            features, mode, logits, labels, train_op_fn=train_op
        )

    return model_fn


def baseline_model_fn(head, optimizer):
    def model_fn(features, labels, mode, config):
        # Of any feature but the weights, which are not there when the model is served.
        batch = next(
            v1.shape(feature)[0]
            for name, feature in features.items()
            if name != head.weight_name
        )
        with v1.variable_scope("baseline"):
            bias = v1.get_variable(
                "bias", [head.logits_dimension], initializer=v1.zeros_initializer()
            )
        logits = bias * tf.ones(tf.stack([batch, head.logits_dimension]))
        own = get_optimizer_instance(optimizer, RATES["baseline"])
        return head.create_estimator_spec(features, mode, logits, labels, own)

    return model_fn
