"""The ready-made Estimators of TensorFlow 1: linear, deep, and both; classifiers and regressors.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_loop.py` beside it.

A ready-made Estimator is an Estimator whose model_fn is written here:

    logits    a linear model of feature columns, a network on top of them, or the sum
              of both
    a head    what is made of the logits: loss, predictions, metrics, signatures

Variables and slots have TF1's names, so that an old model_dir is continued. So have
defaults their TF1 values: the loss of a batch is a sum over its examples, Ftrl trains a
linear model and Adagrad a network, at the rates listed at `_RATES`.
"""

import copy
import math

import tensorflow as tf

try:
    import estimator_loop
except ImportError:  # In a package.
    from . import estimator_loop

v1 = tf.compat.v1
_TRAIN, _EVAL, _PREDICT = (
    estimator_loop.ModeKeys.TRAIN,
    estimator_loop.ModeKeys.EVAL,
    estimator_loop.ModeKeys.PREDICT,
)

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
    training = mode == _TRAIN
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


def _optimizer(given, rate):
    """The optimizer that is given: itself, a function that makes it, or its name.

    Raises:
      ValueError: it is none of these.
    """
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise ValueError(
                f"Unsupported optimizer name: {given}. Supported names are: "
                f"{tuple(sorted(_OPTIMIZERS))}"
            )
        return _OPTIMIZERS[given](learning_rate=rate)
    if isinstance(given, v1.train.Optimizer):
        # What it knows of variables belongs to one graph.
        return copy.deepcopy(given)
    optimizer = given() if callable(given) else given
    if not isinstance(optimizer, v1.train.Optimizer):
        raise ValueError(
            f"The given object is not an Optimizer instance. Given: {optimizer}"
        )
    return optimizer


def _linear_rate(model, columns):
    return min(_RATES[model], 1.0 / math.sqrt(len(columns)))


# -- heads --------------------------------------------------------------------


def _named(vocabulary, count):
    """Names of classes: the vocabulary's, or their numbers."""
    return tf.constant(vocabulary or [str(i) for i in range(count)])


def _checked_labels(labels, logits, columns):
    """Labels of shape [..., columns]; a last dimension of 1 may be missing.

    Raises:
      ValueError: there are none, they are sparse, or they have another shape.
    """
    if labels is None:
        raise ValueError(
            "You must provide a labels Tensor. Given: None. Check that your input_fn "
            "returns labels."
        )
    if isinstance(labels, tf.SparseTensor):
        raise ValueError("SparseTensor labels are not supported.")
    labels = tf.convert_to_tensor(labels)
    if labels.shape.rank == logits.shape.rank - 1:
        labels = labels[..., tf.newaxis]
    if labels.shape[-1] not in (None, columns):
        raise ValueError(
            f"Mismatched label shape. Expected labels dimension={columns}. Received "
            f"{labels.shape[-1]}. Check the n_classes argument of the estimator, or "
            "the shape of your label."
        )
    expected = tf.concat([tf.shape(logits)[:-1], [columns]], 0)
    equal = v1.assert_equal(
        expected, tf.shape(labels), message=f"labels shape must be [..., {columns}]"
    )
    with tf.control_dependencies([equal]):
        return tf.identity(labels)


def _in_range(labels, count):
    """Labels, checked to be 0 to count - 1."""
    checks = [
        v1.assert_less_equal(
            labels,
            tf.cast(count - 1, labels.dtype),
            message="Labels must <= n_classes - 1",
        ),
        v1.assert_non_negative(labels, message="Labels must >= 0"),
    ]
    with tf.control_dependencies(checks):
        return tf.identity(labels)


class _Head:
    """What is made of logits.

    Args:
      units: how many logits an example has.
      weight_column: name of the feature, or numeric column, that weighs examples.
      loss_reduction: how the losses of a batch's examples become one.
    """

    def __init__(self, units, weight_column, loss_reduction):
        reductions = v1.losses.Reduction
        if loss_reduction not in reductions.all() or loss_reduction == reductions.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self.units = units
        self._weight_column = weight_column
        self.weight_name = getattr(weight_column, "key", weight_column)
        self._weights_per_example = (1,)
        self._reduction = loss_reduction

    # What differs between heads.

    def predictions(self, logits):
        """Predictions by key."""
        raise NotImplementedError

    def exports(self, predictions):
        """Export outputs by key."""
        raise NotImplementedError

    def losses(self, labels, logits):
        """(the loss of every example, [batch, ...], and the labels it was computed of)."""
        raise NotImplementedError

    def metrics(self, raw, labels, predictions, weights, losses):
        """Metrics by key; `raw` are the labels as they were given."""
        raise NotImplementedError

    # What does not.

    def spec(self, features, labels, mode, logits, train_op):
        """The EstimatorSpec.

        Args:
          train_op: (loss) -> operation.
        """
        with v1.name_scope(None, "head"):
            logits = tf.cast(logits, tf.float32)
            with v1.name_scope(None, "predictions"):
                predictions = self.predictions(logits)
            if mode == _PREDICT:
                return estimator_loop.EstimatorSpec(
                    mode,
                    predictions=predictions,
                    export_outputs=self.exports(predictions),
                )
            losses, known = self.losses(labels, logits)
            weights = self._weights(features, logits)
            loss = v1.losses.compute_weighted_loss(
                losses, weights=weights, reduction=self._reduction
            )
            if mode == _EVAL:
                with v1.name_scope(None, "metrics"):
                    metrics = self.metrics(labels, known, predictions, weights, losses)
                return estimator_loop.EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
                )
            updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)
            operation = tf.group(train_op(loss), *updates)
            mean = None
            if self._reduction == v1.losses.Reduction.SUM:
                mean = loss / tf.reduce_sum(weights * tf.ones_like(losses))
        with v1.name_scope(""):
            v1.summary.scalar("loss", loss)
            if mean is not None:
                v1.summary.scalar("average_loss", mean)
        return estimator_loop.EstimatorSpec(
            mode, predictions=predictions, loss=loss, train_op=operation
        )

    def _weights(self, features, logits):
        """Weights of shape [batch, 1] (a regressor's may be [batch, units]), or 1."""
        if self._weight_column is None:
            return 1.0
        column = self._weight_column
        if isinstance(column, str):
            column = tf.feature_column.numeric_column(column)
        weights = v1.feature_column.input_layer(
            {column.key: features[column.key]}, [column]
        )
        if weights.shape[-1] not in self._weights_per_example:
            raise ValueError(
                f"Weights have {weights.shape[-1]} values an example, not "
                f"{' or '.join(map(str, self._weights_per_example))}"
            )
        return tf.cast(weights, tf.float32)


def _mean(values, weights):
    """A streaming mean of values in which each has the weight of its example."""
    values = tf.cast(values, tf.float32)
    return v1.metrics.mean(values, weights=weights * tf.ones_like(values))


class _Classification(_Head):
    """A class for every example.

    Args:
      count: how many classes there are.
      vocabulary: their names, if labels are names.
    """

    def __init__(self, count, units, weight_column, vocabulary, loss_reduction):
        super().__init__(units, weight_column, loss_reduction)
        if vocabulary is not None and not isinstance(vocabulary, (list, tuple)):
            raise ValueError(
                f"label_vocabulary should be a list or a tuple. Given: {vocabulary}"
            )
        self._count = count
        self._vocabulary = list(vocabulary) if vocabulary else None

    def _ids(self, labels):
        """Class numbers of labels; a name that is not in the vocabulary is -1."""
        if self._vocabulary is None:
            return labels
        if labels.dtype != tf.string:
            raise ValueError(
                "Labels dtype should be string if there is a vocabulary. Instead got "
                f"{labels.dtype}"
            )
        equal = tf.equal(labels[..., tf.newaxis], tf.constant(self._vocabulary))
        return tf.where(tf.reduce_any(equal, -1), tf.argmax(equal, -1), -1)

    def _of_classes(self, class_ids, batch):
        """What predictions say of classes, beside scores."""
        names = _named(self._vocabulary, self._count)
        numbers = tf.range(self._count)
        return {
            "class_ids": class_ids,
            "classes": tf.gather(names, class_ids, name="str_classes"),
            "all_class_ids": tf.tile(numbers[tf.newaxis], [batch, 1]),
            "all_classes": tf.tile(names[tf.newaxis], [batch, 1]),
        }

    def exports(self, predictions):
        scores = predictions["probabilities"]
        names = _named(self._vocabulary, self._count)
        classes = tf.tile(names[tf.newaxis], [tf.shape(scores)[0], 1])
        output = estimator_loop.export.ClassificationOutput(scores, classes)
        return {
            "serving_default": output,
            "classification": output,
            "predict": estimator_loop.export.PredictOutput(predictions),
        }


class _Binary(_Classification):
    """Two classes: one logit, sigmoid cross entropy."""

    def __init__(self, weight_column, vocabulary, loss_reduction):
        super().__init__(2, 1, weight_column, vocabulary, loss_reduction)

    def predictions(self, logits):
        logistic = tf.sigmoid(logits, name="logistic")
        both = tf.concat([tf.zeros_like(logits), logits], -1, name="two_class_logits")
        class_ids = tf.expand_dims(tf.argmax(both, axis=-1, name="class_ids"), -1)
        return {
            "logits": logits,
            "logistic": logistic,
            "probabilities": tf.nn.softmax(both, name="probabilities"),
            **self._of_classes(class_ids, tf.shape(logits)[0]),
        }

    def exports(self, predictions):
        regression = estimator_loop.export.RegressionOutput(predictions["logistic"])
        return {**super().exports(predictions), "regression": regression}

    def losses(self, labels, logits):
        labels = self._ids(_checked_labels(labels, logits, 1))
        labels = _in_range(tf.cast(labels, tf.float32), 2)
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return losses, labels

    def metrics(self, raw, labels, predictions, weights, losses):
        ids, logistic = predictions["class_ids"], predictions["logistic"]
        given = {"labels": labels, "weights": weights}
        mean = _mean(labels, weights)
        spread = tf.ones_like(logistic) * weights
        return {
            "average_loss": v1.metrics.mean(losses, weights=weights),
            "accuracy": v1.metrics.accuracy(predictions=ids, **given),
            "precision": v1.metrics.precision(predictions=ids, **given),
            "recall": v1.metrics.recall(predictions=ids, **given),
            "prediction/mean": _mean(logistic, weights),
            "label/mean": mean,
            # What always predicting the more frequent class would give.
            "accuracy_baseline": tuple(tf.maximum(m, 1 - m) for m in mean),
            "auc": v1.metrics.auc(labels, logistic, weights=spread),
            "auc_precision_recall": v1.metrics.auc(
                labels, logistic, weights=spread, curve="PR"
            ),
        }


class _MultiClass(_Classification):
    """More than two classes: softmax cross entropy."""

    def __init__(self, count, weight_column, vocabulary, loss_reduction):
        if count <= 2:
            raise ValueError(f"n_classes must be > 2: {count}.")
        super().__init__(count, count, weight_column, vocabulary, loss_reduction)

    def predictions(self, logits):
        class_ids = tf.expand_dims(tf.argmax(logits, axis=-1, name="class_ids"), -1)
        return {
            "logits": logits,
            "probabilities": tf.nn.softmax(logits, name="probabilities"),
            **self._of_classes(class_ids, tf.shape(logits)[0]),
        }

    def losses(self, labels, logits):
        labels = self._ids(_checked_labels(labels, logits, 1))
        if not labels.dtype.is_integer:
            raise ValueError(
                f"Labels dtype should be integer. Instead got {labels.dtype}."
            )
        labels = _in_range(labels, self._count)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.squeeze(labels, -1), logits=logits
        )
        return losses[..., tf.newaxis], labels

    def metrics(self, raw, labels, predictions, weights, losses):
        return {
            "average_loss": v1.metrics.mean(losses, weights=weights),
            "accuracy": v1.metrics.accuracy(
                labels, predictions["class_ids"], weights=weights
            ),
        }


class _Regression(_Head):
    """Numbers: squared error."""

    def __init__(self, units, weight_column, loss_reduction):
        super().__init__(units, weight_column, loss_reduction)
        self._weights_per_example = tuple(dict.fromkeys((1, units)))

    def predictions(self, logits):
        return {"predictions": logits}

    def exports(self, predictions):
        output = estimator_loop.export.RegressionOutput(predictions["predictions"])
        return {
            "serving_default": output,
            "regression": output,
            "predict": estimator_loop.export.PredictOutput(predictions),
        }

    def losses(self, labels, logits):
        labels = tf.cast(_checked_labels(labels, logits, self.units), tf.float32)
        return tf.math.squared_difference(logits, labels), labels

    def metrics(self, raw, labels, predictions, weights, losses):
        return {
            "average_loss": v1.metrics.mean(losses, weights=weights),
            "prediction/mean": _mean(predictions["predictions"], weights),
            "label/mean": v1.metrics.mean(raw, weights=weights),
        }


def _classification(count, weight_column, vocabulary, loss_reduction):
    if count == 2:
        return _Binary(weight_column, vocabulary, loss_reduction)
    return _MultiClass(count, weight_column, vocabulary, loss_reduction)


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
                head.units,
                columns,
                hidden_units,
                activation_fn,
                dropout,
                batch_norm,
                partitioner or _partitioner(config, _LARGE),
            )

            def train_op(loss):
                own = _optimizer(optimizer, _RATES["dnn"])
                return own.minimize(loss, global_step=v1.train.get_global_step())

            return head.spec(features, labels, mode, logits, train_op)

    return model_fn


def _linear_model_fn(head, columns, optimizer, partitioner, sparse_combiner):
    columns = tuple(columns or ())

    def default():
        return v1.train.FtrlOptimizer(_linear_rate("linear", columns))

    def model_fn(features, labels, mode, config):
        _checked_features(features)
        split = partitioner or _partitioner(config, _LARGE)
        with v1.variable_scope("linear", partitioner=split):
            logits = _linear_logits(features, head.units, columns, sparse_combiner)

            def train_op(loss):
                own = _optimizer(optimizer or default, _RATES["linear"])
                return own.minimize(loss, global_step=v1.train.get_global_step())

            return head.spec(features, labels, mode, logits, train_op)

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
                        head.units,
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
                    features, head.units, linear_columns, sparse_combiner
                )
                _activation_summary(logits, scope.name)
            parts.append(logits)
            rate = _linear_rate("combined linear", linear_columns)
            optimizers.append((scope.name, linear_optimizer, rate))

        def train_op(loss):
            updates = [
                _optimizer(given, rate).minimize(
                    loss,
                    var_list=v1.get_collection(
                        v1.GraphKeys.TRAINABLE_VARIABLES, scope=scope
                    ),
                )
                for scope, given, rate in optimizers
            ]
            with tf.control_dependencies(updates):
                return v1.assign_add(v1.train.get_global_step(), 1)

        return head.spec(features, labels, mode, sum(parts[1:], parts[0]), train_op)

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
                "bias", [head.units], initializer=v1.zeros_initializer()
            )
        logits = bias * tf.ones(tf.stack([batch, head.units]))

        def train_op(loss):
            own = _optimizer(optimizer, _RATES["baseline"])
            return own.minimize(loss, global_step=v1.train.get_global_step())

        return head.spec(features, labels, mode, logits, train_op)

    return model_fn


# -- the Estimators -------------------------------------------------------------

_SUM = v1.losses.Reduction.SUM


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
        head = _classification(
            n_classes, weight_column, label_vocabulary, loss_reduction
        )
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
            _Regression(label_dimension, weight_column, loss_reduction),
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
        head = _classification(
            n_classes, weight_column, label_vocabulary, loss_reduction
        )
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
        head = _Regression(label_dimension, weight_column, loss_reduction)
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
            _classification(n_classes, weight_column, label_vocabulary, loss_reduction),
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
            _Regression(label_dimension, weight_column, loss_reduction),
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
        head = _classification(
            n_classes, weight_column, label_vocabulary, loss_reduction
        )
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
        head = _Regression(label_dimension, weight_column, loss_reduction)
        super().__init__(_baseline_model_fn(head, optimizer), model_dir, config)


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
