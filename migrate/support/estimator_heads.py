"""What is made of a model's logits: loss, predictions, metrics, signatures ("heads" of TF1).

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_loop` beside it.

    head = binary_classification_head()
    logits = ...                        # [batch, head.logits_dimension]
    spec = head.create_estimator_spec(features, mode, logits, labels, optimizer)

Keys of predictions, metrics and signatures, and what they compute, are TF1's.
"""

import contextlib
import inspect

import tensorflow as tf

try:
    import estimator_loop
except ImportError:  # In a package.
    from . import estimator_loop

v1 = tf.compat.v1
_EVAL, _PREDICT = estimator_loop.ModeKeys.EVAL, estimator_loop.ModeKeys.PREDICT
_SUM = v1.losses.Reduction.SUM
_MEAN = v1.losses.Reduction.SUM_OVER_BATCH_SIZE


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
      logits_dimension: how many logits an example has.
      weight_column: name of the feature, or numeric column, that weighs examples.
      loss_reduction: how the losses of a batch's examples become one.
      loss_fn: (labels, logits) or (labels, logits, features) -> the loss of every example,
        where it is not the head's own.
      name: goes into the keys of metrics.
    """

    _weights_per_example = (1,)
    _shows_average = True  # Of a loss that is a sum, in a training's summaries.
    _pr_summation = "trapezoidal"
    _predictions_scope = "predictions"

    def __init__(self, logits_dimension, weight_column, loss_reduction, loss_fn, name):
        reductions = v1.losses.Reduction
        if loss_reduction not in reductions.all() or loss_reduction == reductions.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self.logits_dimension = logits_dimension
        self.name = name
        self.weight_name = getattr(weight_column, "key", weight_column)
        self._weight_column = weight_column
        self._reduction = loss_reduction
        self._loss_fn = loss_fn

    # What differs between heads.

    def predictions(self, logits):
        """Predictions by key."""
        raise NotImplementedError

    def exports(self, predictions):
        """Export outputs by key."""
        raise NotImplementedError

    def known(self, labels, logits):
        """Labels as numbers, of shape [batch, ...], checked."""
        raise NotImplementedError

    def losses(self, labels, logits):
        """The loss of every example, [batch, ...]."""
        raise NotImplementedError

    def metrics(self, raw, labels, predictions, weights, losses):
        """Metrics by key; `raw` are the labels as they were given."""
        raise NotImplementedError

    # What does not.

    def create_estimator_spec(
        self,
        features,
        mode,
        logits,
        labels=None,
        optimizer=None,
        train_op_fn=None,
        regularization_losses=None,
    ):
        """The EstimatorSpec.

        Args:
          logits: [batch, ..., logits_dimension].
          optimizer: minimizes the loss, or `train_op_fn`: (loss) -> operation.
          regularization_losses: numbers that are added to the loss.
        """

        def train(loss):
            return self._train_op(loss, optimizer, train_op_fn)

        return self._spec(features, mode, logits, labels, train, regularization_losses)

    def _spec(self, features, mode, logits, labels, train, regularization_losses):
        """The EstimatorSpec; `train`: (loss) -> operation."""
        with v1.name_scope(self.name, "head"):
            logits = tf.cast(logits, tf.float32)
            scope = contextlib.nullcontext()
            if self._predictions_scope is not None:
                scope = v1.name_scope(None, self._predictions_scope)
            with scope:
                predictions = self.predictions(logits)
            if mode == _PREDICT:
                return estimator_loop.EstimatorSpec(
                    mode,
                    predictions=predictions,
                    export_outputs=self.exports(predictions),
                )
            known = self.known(labels, logits)
            losses = self._losses(known, logits, features)
            weights = self._weights(features, logits)
            loss = data_loss = v1.losses.compute_weighted_loss(
                losses, weights=weights, reduction=self._reduction
            )
            penalty = tf.add_n(regularization_losses) if regularization_losses else None
            if penalty is not None:
                loss = loss + penalty
            if mode == _EVAL:
                with v1.name_scope(None, "metrics"):
                    metrics = self.metrics(labels, known, predictions, weights, losses)
                    if penalty is not None:
                        metrics["regularization_loss"] = v1.metrics.mean(penalty)
                return estimator_loop.EstimatorSpec(
                    mode,
                    predictions=predictions,
                    loss=loss,
                    eval_metric_ops={self._key(k): m for k, m in metrics.items()},
                )
            train_op = train(loss)
            shown = {"loss": loss}
            if self._reduction == _SUM and self._shows_average:
                total = tf.reduce_sum(weights * tf.ones_like(losses))
                shown["average_loss"] = data_loss / total
            if penalty is not None:
                shown["regularization_loss"] = penalty
        with v1.name_scope(""):
            for key, value in shown.items():
                v1.summary.scalar(self._key(key), value)
        return estimator_loop.EstimatorSpec(
            mode, predictions=predictions, loss=loss, train_op=train_op
        )

    def _key(self, key):
        return f"{key}/{self.name}" if self.name else key

    def _auc_pr(self, labels, scores, weights):
        return v1.metrics.auc(
            labels,
            scores,
            weights=weights,
            curve="PR",
            summation_method=self._pr_summation,
        )

    def _at(self, threshold, labels, scores, weights):
        """Accuracy, precision and recall where scores from a threshold on mean 1."""
        judged = tf.cast(self._judged(scores, threshold), tf.float32)
        found = {"accuracy": v1.metrics.accuracy(labels, judged, weights=weights)}
        for name, metric in (
            ("precision", v1.metrics.precision_at_thresholds),
            ("recall", v1.metrics.recall_at_thresholds),
        ):
            one = metric(labels, scores, (threshold,), weights=weights)
            found[name] = tuple(tf.squeeze(value) for value in one)
        return found

    def _judged(self, scores, threshold):
        return scores >= threshold

    def _train_op(self, loss, optimizer, train_op_fn):
        """The operation, with the updates of batch normalisation.

        Raises:
          ValueError: there are both an optimizer and a function, or neither.
        """
        if (optimizer is None) == (train_op_fn is None):
            raise ValueError("Give either an optimizer or a train_op_fn.")
        if optimizer is not None:
            step = v1.train.get_global_step()
            train_op = optimizer.minimize(loss, global_step=step)
        else:
            train_op = train_op_fn(loss)
        return tf.group(train_op, *v1.get_collection(v1.GraphKeys.UPDATE_OPS))

    def _losses(self, labels, logits, features):
        if self._loss_fn is None:
            return self.losses(labels, logits)
        given = {"features": features}
        names = inspect.signature(self._loss_fn).parameters
        return self._loss_fn(
            labels=labels,
            logits=logits,
            **{name: value for name, value in given.items() if name in names},
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

    def __init__(self, count, units, vocabulary, *given):
        super().__init__(units, *given)
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
    """Two classes: one logit, sigmoid cross entropy.

    Args:
      thresholds: probabilities from which on an example is judged to be of class 1, each
        with metrics of its own.
    """

    def __init__(self, thresholds, vocabulary, *given):
        super().__init__(2, 1, vocabulary, *given)
        self._thresholds = tuple(thresholds or ())
        if not all(0.0 < threshold < 1.0 for threshold in self._thresholds):
            raise ValueError(f"thresholds not in (0, 1): {self._thresholds}.")

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

    def known(self, labels, logits):
        labels = self._ids(_checked_labels(labels, logits, 1))
        return _in_range(tf.cast(labels, tf.float32), 2)

    def losses(self, labels, logits):
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def metrics(self, raw, labels, predictions, weights, losses):
        ids, logistic = predictions["class_ids"], predictions["logistic"]
        given = {"labels": labels, "weights": weights}
        mean = _mean(labels, weights)
        spread = tf.ones_like(logistic) * weights
        metrics = {
            "average_loss": v1.metrics.mean(losses, weights=weights),
            "accuracy": v1.metrics.accuracy(predictions=ids, **given),
            "precision": v1.metrics.precision(predictions=ids, **given),
            "recall": v1.metrics.recall(predictions=ids, **given),
            "prediction/mean": _mean(logistic, weights),
            "label/mean": mean,
            # What always predicting the more frequent class would give.
            "accuracy_baseline": tuple(tf.maximum(m, 1 - m) for m in mean),
            "auc": v1.metrics.auc(labels, logistic, weights=spread),
            "auc_precision_recall": self._auc_pr(labels, logistic, spread),
        }
        for threshold in self._thresholds:
            key = f"positive_threshold_{threshold:g}"
            found = self._at(threshold, labels, logistic, weights)
            metrics.update({f"{name}/{key}": m for name, m in found.items()})
        return metrics


class _MultiClass(_Classification):
    """More than two classes: softmax cross entropy."""

    def __init__(self, count, vocabulary, *given):
        if count <= 2:
            raise ValueError(f"n_classes must be > 2: {count}.")
        super().__init__(count, count, vocabulary, *given)

    def predictions(self, logits):
        class_ids = tf.expand_dims(tf.argmax(logits, axis=-1, name="class_ids"), -1)
        return {
            "logits": logits,
            "probabilities": tf.nn.softmax(logits, name="probabilities"),
            **self._of_classes(class_ids, tf.shape(logits)[0]),
        }

    def known(self, labels, logits):
        labels = self._ids(_checked_labels(labels, logits, 1))
        if not labels.dtype.is_integer:
            raise ValueError(
                f"Labels dtype should be integer. Instead got {labels.dtype}."
            )
        return _in_range(labels, self._count)

    def losses(self, labels, logits):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.squeeze(labels, -1), logits=logits
        )
        return losses[..., tf.newaxis]

    def metrics(self, raw, labels, predictions, weights, losses):
        return {
            "average_loss": v1.metrics.mean(losses, weights=weights),
            "accuracy": v1.metrics.accuracy(
                labels, predictions["class_ids"], weights=weights
            ),
        }


class _Regression(_Head):
    """Numbers: squared error.

    Args:
      inverse_link_fn: logits -> what is predicted, if that is not the logits.
    """

    _predictions_scope = None

    def __init__(self, label_dimension, inverse_link_fn, *given):
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        super().__init__(label_dimension, *given)
        self._weights_per_example = tuple(dict.fromkeys((1, label_dimension)))
        self._inverse_link_fn = inverse_link_fn

    def predictions(self, logits):
        if self._inverse_link_fn is None:
            return {"predictions": logits}
        return {"predictions": self._inverse_link_fn(logits), "logits": logits}

    def exports(self, predictions):
        output = estimator_loop.export.RegressionOutput(predictions["predictions"])
        return {
            "serving_default": output,
            "regression": output,
            "predict": estimator_loop.export.PredictOutput(predictions),
        }

    def known(self, labels, logits):
        labels = _checked_labels(labels, logits, self.logits_dimension)
        return tf.cast(labels, tf.float32)

    def losses(self, labels, logits):
        return tf.math.squared_difference(logits, labels)

    def metrics(self, raw, labels, predictions, weights, losses):
        return {
            "average_loss": v1.metrics.mean(losses, weights=weights),
            "prediction/mean": _mean(predictions["predictions"], weights),
            "label/mean": v1.metrics.mean(raw, weights=weights),
        }


# -- tf.contrib.estimator's functions ---------------------------------------------


def binary_classification_head(
    weight_column=None,
    thresholds=None,
    label_vocabulary=None,
    loss_reduction=_MEAN,
    loss_fn=None,
    name=None,
):
    """A head of two classes; parameters and defaults are TF1's."""
    given = weight_column, loss_reduction, loss_fn, name
    return _Binary(thresholds, label_vocabulary, *given)


def multi_class_head(
    n_classes,
    weight_column=None,
    label_vocabulary=None,
    loss_reduction=_MEAN,
    loss_fn=None,
    name=None,
):
    """A head of three or more classes; parameters and defaults are TF1's."""
    given = weight_column, loss_reduction, loss_fn, name
    return _MultiClass(n_classes, label_vocabulary, *given)


def regression_head(
    weight_column=None,
    label_dimension=1,
    loss_reduction=_MEAN,
    loss_fn=None,
    inverse_link_fn=None,
    name=None,
):
    """A head of numbers; parameters and defaults are TF1's."""
    given = weight_column, loss_reduction, loss_fn, name
    return _Regression(label_dimension, inverse_link_fn, *given)
