"""Heads that ready-made Estimators of TF1 had no need of: several labels, several heads.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, `estimator_loop` and `estimator_heads.py`.

The functions are those of tf.contrib.estimator, the classes those of tf.estimator.
"""

import tensorflow as tf

try:
    import estimator_heads
    import estimator_loop
except ImportError:  # In a package.
    from . import estimator_heads, estimator_loop

v1 = tf.compat.v1
_MEAN = estimator_heads._MEAN
_EVAL, _PREDICT, _TRAIN = (
    estimator_loop.ModeKeys.EVAL,
    estimator_loop.ModeKeys.PREDICT,
    estimator_loop.ModeKeys.TRAIN,
)
_DEFAULT = "serving_default"


# -- several labels -----------------------------------------------------------------


class _MultiLabel(estimator_heads._Classification):
    """Any number of classes for every example: a sigmoid for each.

    Args:
      thresholds: probabilities from which on a class is judged to be meant.
      classes: numbers, or names, of the classes that have metrics of their own.
    """

    def __init__(self, count, thresholds, classes, vocabulary, *given):
        if count is None or count < 2:
            raise ValueError(
                f"n_classes must be > 1 for multi-label classification. Given: {count}"
            )
        super().__init__(count, count, vocabulary, *given)
        if self._vocabulary is not None and len(self._vocabulary) != count:
            raise ValueError(
                f"Length of label_vocabulary must be n_classes ({count}). "
                f"Given: {len(self._vocabulary)}"
            )
        self._thresholds = tuple(thresholds or ())
        if not all(0.0 < threshold < 1.0 for threshold in self._thresholds):
            raise ValueError(f"thresholds not in (0, 1): {self._thresholds}.")
        self._classes = [
            self._vocabulary.index(c) if isinstance(c, str) else c
            for c in classes or ()
        ]
        if not all(0 <= c < count for c in self._classes):
            raise ValueError(
                "All classes_for_class_based_metrics must be in range "
                f"[0, {count - 1}]. Given: {self._classes}"
            )

    def predictions(self, logits):
        return {
            "logits": logits,
            "probabilities": tf.sigmoid(logits, name="probabilities"),
        }

    def known(self, labels, logits):
        if isinstance(labels, tf.SparseTensor):
            labels = self._indicator(labels)
        labels = estimator_heads._checked_labels(labels, logits, self._count)
        return estimator_heads._in_range(labels, 2)

    def _indicator(self, labels):
        """[..., classes], 1 where a sparse tensor of classes has one."""
        ids = labels.values
        if ids.dtype == tf.string:
            ids = self._ids(ids)
        else:
            ids = estimator_heads._in_range(ids, self._count)
        ids = tf.SparseTensor(
            labels.indices, tf.cast(ids, tf.int64), labels.dense_shape
        )
        return tf.cast(v1.sparse_to_indicator(ids, self._count), tf.int64)

    def losses(self, labels, logits):
        losses = tf.nn.sigmoid_cross_entropy_with_logits(
            labels=tf.cast(labels, logits.dtype), logits=logits
        )
        return tf.reduce_mean(losses, axis=-1, keepdims=True)

    def metrics(self, raw, labels, predictions, weights, losses):
        scores = predictions["probabilities"]
        spread = weights * tf.ones_like(scores)
        metrics = {
            "average_loss": v1.metrics.mean(losses, weights=weights),
            "auc": v1.metrics.auc(labels, scores, weights=spread),
            "auc_precision_recall": self._auc_pr(labels, scores, spread),
        }
        for threshold in self._thresholds:
            found = self._at(threshold, labels, scores, spread)
            for name, metric in found.items():
                metrics[f"{name}/positive_threshold_{threshold:g}"] = metric
        for number in self._classes:
            key = f"class{number}"
            if self._vocabulary is not None:
                key = self._vocabulary[number]
            score, label = scores[..., number, None], labels[..., number, None]
            of_class = weights * tf.ones_like(score)
            mean = estimator_heads._mean(score, weights)
            metrics[f"probability_mean/{key}"] = mean
            metrics[f"auc/{key}"] = v1.metrics.auc(label, score, weights=of_class)
            metrics[f"auc_precision_recall/{key}"] = self._auc_pr(
                label, score, of_class
            )
        return metrics


# -- several heads ------------------------------------------------------------------


class _Multi:
    """Several heads, each with a name; their losses are added up.

    Args:
      heads: the heads.
      head_weights: what their losses are multiplied with.
    """

    def __init__(self, heads, head_weights=None):
        if not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError(
                "heads and head_weights must have the same size. Given "
                f"len(heads): {len(heads)}. Given len(head_weights): "
                f"{len(head_weights)}."
            )
        if not all(head.name for head in heads):
            raise ValueError(
                f"All given heads must have name specified. Given: {heads}"
            )
        self._heads = list(heads)
        self._weights = list(head_weights or [1.0] * len(heads))
        self._weighted = bool(head_weights)
        self.name = "_".join(head.name for head in heads)
        self.logits_dimension = sum(head.logits_dimension for head in heads)

    def create_estimator_spec(
        self, features, mode, logits, labels=None, optimizer=None, train_op_fn=None
    ):
        """The EstimatorSpec.

        Args:
          logits: [batch, ..., logits_dimension]; or a dict by the heads' names.
          labels: a dict by the heads' names.
        """

        def train(loss):
            if (optimizer is None) == (train_op_fn is None):
                raise ValueError("Give either an optimizer or a train_op_fn.")
            if optimizer is not None:
                step = v1.train.get_global_step()
                return optimizer.minimize(loss, global_step=step)
            return train_op_fn(loss)

        return self._spec(features, mode, logits, labels, train, None)

    def _spec(self, features, mode, logits, labels, train, regularization_losses):
        if labels is not None and not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        if not isinstance(logits, dict):
            logits = self._split(tf.convert_to_tensor(logits))
        specs = {
            head.name: head.create_estimator_spec(
                features,
                mode,
                logits[head.name],
                labels=labels[head.name] if labels else None,
                train_op_fn=lambda loss: tf.no_op(),
            )
            for head in self._heads
        }
        predictions = {
            (name, key): value
            for name, spec in specs.items()
            for key, value in spec.predictions.items()
        }
        if mode == _PREDICT:
            return estimator_loop.EstimatorSpec(
                mode, predictions=predictions, export_outputs=self._exports(specs)
            )
        losses = [spec.loss for spec in specs.values()]
        if self._weighted:
            losses = [x * weight for x, weight in zip(losses, self._weights)]
        loss = tf.add_n(losses)
        penalty = tf.add_n(regularization_losses) if regularization_losses else None
        if penalty is not None:
            loss = loss + penalty
        metrics = {}
        for name, spec in specs.items():
            if mode == _EVAL:
                metrics[f"loss/{name}"] = v1.metrics.mean(spec.loss)
            metrics.update(spec.eval_metric_ops)
        if mode == _EVAL:
            if penalty is not None:
                metrics["regularization_loss"] = v1.metrics.mean(penalty)
            return estimator_loop.EstimatorSpec(
                mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
            )
        train_op = train(loss)
        with v1.name_scope(""):
            v1.summary.scalar("loss", loss)
        return estimator_loop.EstimatorSpec(
            mode, predictions=predictions, loss=loss, train_op=train_op
        )

    def _split(self, logits):
        """Each head's logits, by its name."""
        found, begin = {}, 0
        batch = tf.shape(logits)[:-1]
        with v1.name_scope(None, "split_logits"):
            for head in self._heads:
                first = tf.concat([tf.zeros_like(batch), [begin]], 0)
                size = tf.concat([-tf.ones_like(batch), [head.logits_dimension]], 0)
                found[head.name] = tf.slice(logits, first, size)
                begin += head.logits_dimension
        return found

    def _exports(self, specs):
        """Each head's outputs under its name; the first head's are the default."""
        first = specs[self._heads[0].name].export_outputs
        found, together = {_DEFAULT: first[_DEFAULT]}, {}
        for name, spec in specs.items():
            for key, output in spec.export_outputs.items():
                found[name if key == _DEFAULT else f"{name}/{key}"] = output
                if key == "predict":
                    for kind, tensor in output.outputs.items():
                        together[f"{name}/{kind}"] = tensor
        found["predict"] = estimator_loop.export.PredictOutput(together)
        return found


# -- tf.contrib.estimator's functions ---------------------------------------------


def multi_label_head(
    n_classes,
    weight_column=None,
    thresholds=None,
    label_vocabulary=None,
    loss_reduction=_MEAN,
    loss_fn=None,
    classes_for_class_based_metrics=None,
    name=None,
):
    """A head of classes that do not exclude each other; parameters are TF1's."""
    given = weight_column, loss_reduction, loss_fn, name
    classes = classes_for_class_based_metrics
    return _MultiLabel(n_classes, thresholds, classes, label_vocabulary, *given)


def multi_head(heads, head_weights=None):
    """Several heads; parameters are TF1's."""
    return _Multi(heads, head_weights)


def _poisson(compute_full_loss):
    return lambda labels, logits: tf.nn.log_poisson_loss(
        labels, logits, compute_full_loss=compute_full_loss
    )


def _logistic(labels, logits):
    return tf.nn.sigmoid_cross_entropy_with_logits(
        labels=estimator_heads._in_range(labels, 2), logits=logits
    )


def poisson_regression_head(
    weight_column=None,
    label_dimension=1,
    loss_reduction=_MEAN,
    compute_full_loss=True,
    name=None,
):
    """A head of counts; parameters are TF1's."""
    given = weight_column, loss_reduction, _poisson(compute_full_loss), name
    return estimator_heads._Regression(label_dimension, tf.exp, *given)


def logistic_regression_head(weight_column=None, loss_reduction=_MEAN, name=None):
    """A head of numbers between 0 and 1; parameters are TF1's."""
    given = weight_column, loss_reduction, _logistic, name
    return estimator_heads._Regression(1, tf.sigmoid, *given)


# -- tf.estimator's classes ---------------------------------------------------------


class _OfTfEstimator:
    """What tf.estimator's heads do otherwise: nothing is taken from the graph's collections."""

    _shows_average = False
    _pr_summation = "careful_interpolation"
    _predictions_scope = "predictions"

    def create_estimator_spec(
        self,
        features,
        mode,
        logits,
        labels=None,
        optimizer=None,
        trainable_variables=None,
        train_op_fn=None,
        update_ops=None,
        regularization_losses=None,
    ):
        """The EstimatorSpec.

        Args:
          logits: [batch, ..., logits_dimension].
          train_op_fn: (loss) -> operation.
          update_ops: operations to be run beside it.
          regularization_losses: numbers that are added to the loss.

        Raises:
          ValueError: there is an optimizer. TF1 took Keras's only, which make no
            TF1 checkpoint.
        """

        def train(loss):
            if optimizer is not None or train_op_fn is None:
                raise ValueError(
                    "Keras optimizers are not supported here: give train_op_fn=lambda "
                    "loss: optimizer.minimize(loss, global_step), with an optimizer of "
                    "tf.compat.v1.train."
                )
            return tf.group(train_op_fn(loss), *(update_ops or ()))

        return self._spec(features, mode, logits, labels, train, regularization_losses)

    def _judged(self, scores, threshold):
        return scores > threshold


def _reduction(given):
    """The name that tf.compat.v1.losses has for one of tf.keras.losses."""
    names = {
        "auto": _MEAN,
        "sum": v1.losses.Reduction.SUM,
        "sum_over_batch_size": _MEAN,
    }
    if given not in names:
        raise ValueError(f"Invalid loss_reduction: {given}")
    return names[given]


class BinaryClassHead(_OfTfEstimator, estimator_heads._Binary):
    """tf.estimator's; parameters and defaults are TF1's."""

    def __init__(
        self,
        weight_column=None,
        thresholds=None,
        label_vocabulary=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        name=None,
    ):
        given = weight_column, _reduction(loss_reduction), loss_fn, name
        super().__init__(thresholds, label_vocabulary, *given)


class MultiClassHead(_OfTfEstimator, estimator_heads._MultiClass):
    """tf.estimator's; parameters and defaults are TF1's."""

    def __init__(
        self,
        n_classes,
        weight_column=None,
        label_vocabulary=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        name=None,
    ):
        given = weight_column, _reduction(loss_reduction), loss_fn, name
        super().__init__(n_classes, label_vocabulary, *given)


class MultiLabelHead(_OfTfEstimator, _MultiLabel):
    """tf.estimator's; parameters and defaults are TF1's."""

    def __init__(
        self,
        n_classes,
        weight_column=None,
        thresholds=None,
        label_vocabulary=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        classes_for_class_based_metrics=None,
        name=None,
    ):
        given = weight_column, _reduction(loss_reduction), loss_fn, name
        classes = classes_for_class_based_metrics
        super().__init__(n_classes, thresholds, classes, label_vocabulary, *given)


class RegressionHead(_OfTfEstimator, estimator_heads._Regression):
    """tf.estimator's; parameters and defaults are TF1's."""

    def __init__(
        self,
        label_dimension=1,
        weight_column=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        inverse_link_fn=None,
        name=None,
    ):
        given = weight_column, _reduction(loss_reduction), loss_fn, name
        super().__init__(label_dimension, inverse_link_fn, *given)


class PoissonRegressionHead(RegressionHead):
    """tf.estimator's; parameters and defaults are TF1's."""

    def __init__(
        self,
        label_dimension=1,
        weight_column=None,
        loss_reduction="sum_over_batch_size",
        compute_full_loss=True,
        name=None,
    ):
        super().__init__(
            label_dimension,
            weight_column,
            loss_reduction,
            _poisson(compute_full_loss),
            tf.exp,
            name,
        )


class LogisticRegressionHead(RegressionHead):
    """tf.estimator's; parameters and defaults are TF1's."""

    def __init__(
        self, weight_column=None, loss_reduction="sum_over_batch_size", name=None
    ):
        super().__init__(1, weight_column, loss_reduction, _logistic, tf.sigmoid, name)


class MultiHead(_OfTfEstimator, _Multi):
    """tf.estimator's; parameters and defaults are TF1's."""

    def _spec(self, *args):
        with v1.name_scope(self.name, "multi_head"):
            return super()._spec(*args)
