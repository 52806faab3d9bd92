"""The ready-made Estimators of TensorFlow 1: linear, deep, and both; classifiers and regressors.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_heads.py` and `estimator_loop`
beside it.

A ready-made Estimator is an Estimator whose model_fn is written here:

    logits    a linear model of feature columns, a network on top of them, or the sum
              of both
    a head    what is made of the logits: loss, predictions, metrics, signatures

Variables and slots have TF1's names, so that an old model_dir is continued. So have
defaults their TF1 values: the loss of a batch is a sum over its examples, Ftrl trains a
linear model and Adagrad a network, at the rates listed at `_RATES`.
"""

import copy
import inspect
import math

import tensorflow as tf

try:
    import estimator_loop
except ImportError:  # In a package.
    from . import estimator_loop
try:
    import estimator_heads
except ImportError:  # In a package.
    from . import estimator_heads

v1 = tf.compat.v1

_OPTIMIZERS = {
    "Adagrad": v1.train.AdagradOptimizer,
    "Adam": v1.train.AdamOptimizer,
    "Ftrl": v1.train.FtrlOptimizer,
    "RMSProp": v1.train.RMSPropOptimizer,
    "SGD": v1.train.GradientDescentOptimizer,
}

# Learning rates of optimizers that are given by name. A combined model's linear one, and
# the one of a linear model whose optimizer is None, is at most 1 / sqrt(columns).
_RATES = {
    "dnn": 0.05,
    "linear": 0.2,
    "combined dnn": 0.001,
    "combined linear": 0.005,
    "baseline": 0.3,
}


# -- logits -------------------------------------------------------------------


def _partitioner(config, min_slice_size):
    """Splits variables over parameter servers; without these it names them as if it did.

    A part is `kernel/part_0`, which the names of its slots in checkpoints are made from.
    """
    return v1.min_max_variable_partitioner(
        max_partitions=max(1, config.num_ps_replicas), min_slice_size=min_slice_size
    )


# Where a variable is split if it has that many bytes for each part.
_SMALL, _LARGE = 256 << 10, 64 << 20


def _activation_summary(value, name):
    v1.summary.scalar(f"{name}/fraction_of_zero_values", tf.math.zero_fraction(value))
    v1.summary.histogram(f"{name}/activation", value)


def _dnn_logits(
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
        _activation_summary(net, f"{scope}/{name}")
    logits = estimator_loop.layers.dense(
        net, units, kernel_initializer=v1.glorot_uniform_initializer(), name="logits"
    )
    _activation_summary(logits, f"{scope}/logits")
    return logits


def _linear_logits(features, units, columns, sparse_combiner):
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


# -- training operations --------------------------------------------------------


def get_optimizer_instance(opt, learning_rate=None):
    """The optimizer that is given: itself, a function that makes it, or its name.

    Args:
      learning_rate: of an optimizer that is given by name.

    Raises:
      ValueError: it is none of these.
    """
    if isinstance(opt, str):
        if opt not in _OPTIMIZERS:
            raise ValueError(
                f"Unsupported optimizer name: {opt}. Supported names are: "
                f"{tuple(sorted(_OPTIMIZERS))}"
            )
        if not learning_rate:
            raise ValueError("learning_rate must be specified when opt is string.")
        return _OPTIMIZERS[opt](learning_rate=learning_rate)
    if isinstance(opt, v1.train.Optimizer):
        # What it knows of variables belongs to one graph.
        return copy.deepcopy(opt)
    optimizer = opt() if callable(opt) else opt
    if not isinstance(optimizer, v1.train.Optimizer):
        raise ValueError(
            f"The given object is not an Optimizer instance. Given: {optimizer}"
        )
    return optimizer


def _linear_rate(model, columns):
    return min(_RATES[model], 1.0 / math.sqrt(len(columns)))


# -- model functions ----------------------------------------------------------


def _checked_features(features):
    if not isinstance(features, dict):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


def _dnn_model_fn(
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
        with v1.variable_scope("dnn", partitioner=_partitioner(config, _SMALL)):
            logits = _dnn_logits(
                features,
                mode,
                head.logits_dimension,
                columns,
                hidden_units,
                activation_fn,
                dropout,
                batch_norm,
                partitioner or _partitioner(config, _LARGE),
            )

            own = get_optimizer_instance(optimizer, _RATES["dnn"])
            return head.create_estimator_spec(features, mode, logits, labels, own)

    return model_fn


def _linear_model_fn(head, columns, optimizer, partitioner, sparse_combiner):
    columns = tuple(columns or ())

    def default():
        return v1.train.FtrlOptimizer(_linear_rate("linear", columns))

    def model_fn(features, labels, mode, config):
        _checked_features(features)
        split = partitioner or _partitioner(config, _LARGE)
        with v1.variable_scope("linear", partitioner=split):
            logits = _linear_logits(
                features, head.logits_dimension, columns, sparse_combiner
            )

            own = get_optimizer_instance(optimizer or default, _RATES["linear"])
            return head.create_estimator_spec(features, mode, logits, labels, own)

    return model_fn


def _combined_model_fn(
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
        split = partitioner or _partitioner(config, _LARGE)
        parts, optimizers = [], []  # Logits; (scope, optimizer, rate).
        if dnn_columns:
            with v1.variable_scope(
                "dnn", partitioner=_partitioner(config, _SMALL)
            ) as scope:
                parts.append(
                    _dnn_logits(
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
            optimizers.append((scope.name, dnn_optimizer, _RATES["combined dnn"]))
        if linear_columns:
            with v1.variable_scope("linear", partitioner=split) as scope:
                logits = _linear_logits(
                    features, head.logits_dimension, linear_columns, sparse_combiner
                )
                _activation_summary(logits, scope.name)
            parts.append(logits)
            rate = _linear_rate("combined linear", linear_columns)
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


def _baseline_model_fn(head, optimizer):
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
        own = get_optimizer_instance(optimizer, _RATES["baseline"])
        return head.create_estimator_spec(features, mode, logits, labels, own)

    return model_fn


# -- the Estimators -------------------------------------------------------------

_SUM = v1.losses.Reduction.SUM


def _classes(count, weight_column, label_vocabulary, loss_reduction):
    given = {
        "weight_column": weight_column,
        "label_vocabulary": label_vocabulary,
        "loss_reduction": loss_reduction,
    }
    if count == 2:
        return estimator_heads.binary_classification_head(**given)
    return estimator_heads.multi_class_head(count, **given)


def _numbers(label_dimension, weight_column, loss_reduction):
    return estimator_heads.regression_head(
        weight_column, label_dimension, loss_reduction
    )


class DNNClassifier(estimator_loop.Estimator):
    """Classes by a network; parameters and defaults are TF1's."""

    def __init__(
        self,
        hidden_units,
        feature_columns,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Adagrad",
        activation_fn=tf.nn.relu,
        dropout=None,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        loss_reduction=_SUM,
        batch_norm=False,
    ):
        head = _classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _dnn_model_fn(
            head,
            feature_columns,
            hidden_units,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            batch_norm,
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNRegressor(estimator_loop.Estimator):
    """Numbers by a network; parameters and defaults are TF1's."""

    def __init__(
        self,
        hidden_units,
        feature_columns,
        model_dir=None,
        label_dimension=1,
        weight_column=None,
        optimizer="Adagrad",
        activation_fn=tf.nn.relu,
        dropout=None,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        loss_reduction=_SUM,
        batch_norm=False,
    ):
        model_fn = _dnn_model_fn(
            _numbers(label_dimension, weight_column, loss_reduction),
            feature_columns,
            hidden_units,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            batch_norm,
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class LinearClassifier(estimator_loop.Estimator):
    """Classes by a weighted sum of features; parameters and defaults are TF1's."""

    def __init__(
        self,
        feature_columns,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Ftrl",
        config=None,
        partitioner=None,
        warm_start_from=None,
        loss_reduction=_SUM,
        sparse_combiner="sum",
    ):
        head = _classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _linear_model_fn(
            head, feature_columns, optimizer, partitioner, sparse_combiner
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class LinearRegressor(estimator_loop.Estimator):
    """Numbers by a weighted sum of features; parameters and defaults are TF1's."""

    def __init__(
        self,
        feature_columns,
        model_dir=None,
        label_dimension=1,
        weight_column=None,
        optimizer="Ftrl",
        config=None,
        partitioner=None,
        warm_start_from=None,
        loss_reduction=_SUM,
        sparse_combiner="sum",
    ):
        head = _numbers(label_dimension, weight_column, loss_reduction)
        model_fn = _linear_model_fn(
            head, feature_columns, optimizer, partitioner, sparse_combiner
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedClassifier(estimator_loop.Estimator):
    """Classes by a linear model and a network together ("wide and deep")."""

    def __init__(
        self,
        model_dir=None,
        linear_feature_columns=None,
        linear_optimizer="Ftrl",
        dnn_feature_columns=None,
        dnn_optimizer="Adagrad",
        dnn_hidden_units=None,
        dnn_activation_fn=tf.nn.relu,
        dnn_dropout=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        loss_reduction=_SUM,
        batch_norm=False,
        linear_sparse_combiner="sum",
    ):
        model_fn = _combined_model_fn(
            _classes(n_classes, weight_column, label_vocabulary, loss_reduction),
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            batch_norm,
            linear_sparse_combiner,
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedRegressor(estimator_loop.Estimator):
    """Numbers by a linear model and a network together ("wide and deep")."""

    def __init__(
        self,
        model_dir=None,
        linear_feature_columns=None,
        linear_optimizer="Ftrl",
        dnn_feature_columns=None,
        dnn_optimizer="Adagrad",
        dnn_hidden_units=None,
        dnn_activation_fn=tf.nn.relu,
        dnn_dropout=None,
        label_dimension=1,
        weight_column=None,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        loss_reduction=_SUM,
        batch_norm=False,
        linear_sparse_combiner="sum",
    ):
        model_fn = _combined_model_fn(
            _numbers(label_dimension, weight_column, loss_reduction),
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            batch_norm,
            linear_sparse_combiner,
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class BaselineClassifier(estimator_loop.Estimator):
    """The same scores for every example; parameters and defaults are TF1's."""

    def __init__(
        self,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Ftrl",
        config=None,
        loss_reduction=_SUM,
    ):
        head = _classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_baseline_model_fn(head, optimizer), model_dir, config)


class BaselineRegressor(estimator_loop.Estimator):
    """The same number for every example; parameters and defaults are TF1's."""

    def __init__(
        self,
        model_dir=None,
        label_dimension=1,
        weight_column=None,
        optimizer="Ftrl",
        config=None,
        loss_reduction=_SUM,
    ):
        head = _numbers(label_dimension, weight_column, loss_reduction)
        super().__init__(_baseline_model_fn(head, optimizer), model_dir, config)


class DNNEstimator(estimator_loop.Estimator):
    """A network under a head of `estimator_heads`; parameters and defaults are TF1's."""

    def __init__(
        self,
        head,
        hidden_units,
        feature_columns,
        model_dir=None,
        optimizer="Adagrad",
        activation_fn=tf.nn.relu,
        dropout=None,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        batch_norm=False,
    ):
        model_fn = _dnn_model_fn(
            head,
            feature_columns,
            hidden_units,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            batch_norm,
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class LinearEstimator(estimator_loop.Estimator):
    """A weighted sum of features under a head of `estimator_heads`."""

    def __init__(
        self,
        head,
        feature_columns,
        model_dir=None,
        optimizer="Ftrl",
        config=None,
        partitioner=None,
        sparse_combiner="sum",
    ):
        model_fn = _linear_model_fn(
            head, feature_columns, optimizer, partitioner, sparse_combiner
        )
        super().__init__(model_fn, model_dir, config)


class DNNLinearCombinedEstimator(estimator_loop.Estimator):
    """A linear model and a network together under a head of `estimator_heads`."""

    def __init__(
        self,
        head,
        model_dir=None,
        linear_feature_columns=None,
        linear_optimizer="Ftrl",
        dnn_feature_columns=None,
        dnn_optimizer="Adagrad",
        dnn_hidden_units=None,
        dnn_activation_fn=tf.nn.relu,
        dnn_dropout=None,
        input_layer_partitioner=None,
        config=None,
        linear_sparse_combiner="sum",
    ):
        model_fn = _combined_model_fn(
            head,
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            False,
            linear_sparse_combiner,
        )
        super().__init__(model_fn, model_dir, config)


class BaselineEstimator(estimator_loop.Estimator):
    """The same logits for every example, under a head of `estimator_heads`."""

    def __init__(self, head, model_dir=None, optimizer="Ftrl", config=None):
        super().__init__(_baseline_model_fn(head, optimizer), model_dir, config)


def add_metrics(estimator, metric_fn):
    """The Estimator with more metrics.

    Args:
      metric_fn: called by name with those of features, labels, predictions and config that
        it takes; gives metrics by key. One of a key that the Estimator has replaces it.
    """

    def model_fn(features, labels, mode, config):
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != estimator_loop.ModeKeys.EVAL:
            return spec
        given = {
            "features": features,
            "labels": labels,
            "predictions": spec.predictions,
            "config": config,
        }
        names = inspect.signature(metric_fn).parameters
        more = metric_fn(**{name: given[name] for name in names})
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **more})

    return estimator_loop.Estimator(
        model_fn,
        estimator.model_dir,
        estimator.config,
        warm_start_from=estimator._warm_start_from,
    )


# -- what is read for them --------------------------------------------------------


def classifier_parse_example_spec(
    feature_columns,
    label_key,
    label_dtype=tf.int64,
    label_default=None,
    weight_column=None,
):
    """What tf.io.parse_example is told of features, one label and a weight."""
    label = tf.io.FixedLenFeature((1,), label_dtype, label_default)
    return _parse_example_spec(feature_columns, label_key, label, weight_column)


def regressor_parse_example_spec(
    feature_columns,
    label_key,
    label_dtype=tf.float32,
    label_default=None,
    label_dimension=1,
    weight_column=None,
):
    """What tf.io.parse_example is told of features, labels and a weight."""
    label = tf.io.FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _parse_example_spec(feature_columns, label_key, label, weight_column)


def _parse_example_spec(columns, label_key, label, weight_column):
    spec = v1.feature_column.make_parse_example_spec(columns)
    if label_key in spec:
        raise ValueError(f"label should not be used as feature. label_key: {label_key}")
    spec[label_key] = label
    if weight_column is None:
        return spec
    if isinstance(weight_column, str):
        weight_column = tf.feature_column.numeric_column(weight_column)
    if weight_column.key in spec:
        raise ValueError(
            "weight_column should not be used as feature. weight_column: "
            f"{weight_column.key}"
        )
    return {**spec, **v1.feature_column.make_parse_example_spec([weight_column])}
