"""The ready-made Estimators."""

import inspect

import tensorflow as tf

try:
    import estimator_heads
    import estimator_loop
except ImportError:  # In a package.
    from .. import estimator_heads, estimator_loop

from .model_functions import (
    baseline_model_fn,
    combined_model_fn,
    dnn_model_fn,
    linear_model_fn,
)

v1 = tf.compat.v1


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
        model_fn = dnn_model_fn(
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
        model_fn = dnn_model_fn(
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
        model_fn = linear_model_fn(
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
        model_fn = linear_model_fn(
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
        model_fn = combined_model_fn(
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
        model_fn = combined_model_fn(
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
        super().__init__(baseline_model_fn(head, optimizer), model_dir, config)


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
        super().__init__(baseline_model_fn(head, optimizer), model_dir, config)


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
        model_fn = dnn_model_fn(
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
        model_fn = linear_model_fn(
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
        model_fn = combined_model_fn(
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
        super().__init__(baseline_model_fn(head, optimizer), model_dir, config)


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


def forward_features(estimator, keys=None, sparse_default_values=None):
    """tf.contrib.estimator's: the Estimator, whose predictions have features as well.

    Args:
      keys: of the features, one or several; by default all.
      sparse_default_values: key of a sparse feature -> what fills it up.

    Raises:
      TypeError: a key is no text.
      ValueError (when a graph is built): a key is none of the features, or one of the
        predictions; or a feature is sparse and nothing fills it up.
    """
    keys = [keys] if isinstance(keys, str) else keys
    if keys is not None and not all(isinstance(key, str) for key in keys):
        raise TypeError(f"keys are to be strings: {keys}")
    fill = sparse_default_values or {}

    def forwarded(features, key, predictions):
        if key not in features:
            raise ValueError(f"{key} is none of the features: {sorted(features)}")
        if key in predictions:
            raise ValueError(f"{key} is one of the predictions: {sorted(predictions)}")
        feature = features[key]
        if isinstance(feature, tf.SparseTensor) and key in fill:
            return tf.sparse.to_dense(feature, default_value=fill[key])
        if isinstance(feature, tf.SparseTensor) or key in fill:
            raise ValueError(f"{key}: sparse_default_values are for sparse features")
        return tf.convert_to_tensor(feature)

    def model_fn(features, labels, mode, config):
        spec = estimator.model_fn(features, labels, mode, config)
        if spec.predictions is None:
            return spec
        if not isinstance(spec.predictions, dict):
            raise ValueError("to forward features predictions have to be a dict")
        wanted = features if keys is None else keys
        more = {key: forwarded(features, key, spec.predictions) for key in wanted}
        outputs = spec.export_outputs
        for name in ("predict", "serving_default"):
            output = (outputs or {}).get(name)
            if isinstance(output, estimator_loop.PredictOutput):
                output.outputs.update(more)
        return spec._replace(predictions={**spec.predictions, **more})

    return estimator_loop.Estimator(model_fn, estimator.model_dir, estimator.config)
