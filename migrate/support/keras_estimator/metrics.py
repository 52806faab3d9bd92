"""tf.metrics that Keras counts otherwise."""

import tensorflow as tf
import tf_keras


def _weights(sample_weight, values):
    """The weight of each of some values, in one row.

    Args:
      sample_weight: of the values' rank, of size 1 where they are alike; or a scalar.
    """
    shape = tf.shape(values)
    weights = tf.cast(1.0 if sample_weight is None else sample_weight, tf.float32)
    return tf.reshape(tf.broadcast_to(weights, shape), [-1])


class _MeanError(tf_keras.metrics.Mean):
    """The mean over all elements, of whatever rank.

    Keras's own takes that of each row first, of which the last batch may have fewer.
    """

    def update_state(self, labels, predictions, sample_weight=None):
        labels = tf.convert_to_tensor(labels)
        predictions = tf.convert_to_tensor(predictions)
        rank = predictions.shape.rank - labels.shape.rank
        if rank == 1:
            predictions = tf.squeeze(predictions, -1)
        elif rank == -1:
            labels = tf.squeeze(labels, -1)
        return super().update_state(self.error(predictions, labels), sample_weight)


class MeanSquaredError(_MeanError):
    """tf.metrics.mean_squared_error."""

    error = staticmethod(tf.math.squared_difference)


class MeanAbsoluteError(_MeanError):
    """tf.metrics.mean_absolute_error."""

    @staticmethod
    def error(predictions, labels):
        return tf.abs(predictions - labels)


class _Counts(tf_keras.metrics.Metric):
    """Counts in variables of any shape, which Keras would begin anew as numbers."""

    def reset_state(self):
        for variable in self.variables:
            variable.assign(tf.zeros_like(variable))


class MeanPerClassAccuracy(_Counts):
    """tf.metrics.mean_per_class_accuracy: a class that has not come counts as 0."""

    def __init__(self, num_classes, name=None, dtype="float32"):
        super().__init__(name, dtype)
        self._seen = self.add_weight("seen", [num_classes], initializer="zeros")
        self._right = self.add_weight("right", [num_classes], initializer="zeros")

    def update_state(self, labels, predictions, sample_weight=None):
        """Counts a batch; both are class numbers, of any one shape."""
        weights = _weights(sample_weight, labels)
        labels = tf.reshape(labels, [-1])
        right = tf.equal(tf.cast(tf.reshape(predictions, [-1]), labels.dtype), labels)
        classes = tf.one_hot(labels, self._seen.shape[0]) * weights[:, tf.newaxis]
        self._seen.assign_add(tf.reduce_sum(classes, 0))
        right = tf.cast(right, tf.float32)[:, tf.newaxis]
        self._right.assign_add(tf.reduce_sum(classes * right, 0))

    def result(self):
        return tf.reduce_mean(tf.math.divide_no_nan(self._right, self._seen))


class AUC(_Counts):
    """tf.metrics.auc: of the ROC curve, by the trapezoidal rule over 200 thresholds.

    Keras's has another value where no example, or every one, is positive.

    Args:
      curve: "ROC", or "PR" for precision by recall.
      summation_method: "trapezoidal", "careful_interpolation", "minoring" or "majoring".
    """

    def __init__(
        self,
        name=None,
        dtype="float32",
        num_thresholds=200,
        curve="ROC",
        summation_method="trapezoidal",
    ):
        super().__init__(name, dtype)
        self._curve, self._method = curve, summation_method
        inner = [i / (num_thresholds - 1) for i in range(1, num_thresholds - 1)]
        self._thresholds = [-1e-7, *inner, 1 + 1e-7]
        names = ("true_positives", "false_positives", "positives", "negatives")
        self._counts = {
            name: self.add_weight(name, [num_thresholds], initializer="zeros")
            for name in names
        }

    def update_state(self, labels, predictions, sample_weight=None):
        """Counts a batch; labels are 0 or 1, predictions in [0, 1], of any one shape."""
        weights = _weights(sample_weight, labels)
        labels = tf.reshape(tf.cast(labels, tf.bool), [1, -1])
        scores = tf.reshape(tf.cast(predictions, tf.float32), [1, -1])
        above = scores > tf.constant(self._thresholds)[:, tf.newaxis]
        every = tf.ones_like(above)
        for name, which in (
            ("true_positives", above & labels),
            ("false_positives", above & ~labels),
            ("positives", every & labels),
            ("negatives", every & ~labels),
        ):
            counted = tf.cast(which, tf.float32) * weights
            self._counts[name].assign_add(tf.reduce_sum(counted, 1))

    def result(self):
        hits, false = self._counts["true_positives"], self._counts["false_positives"]
        positives, negatives = self._counts["positives"], self._counts["negatives"]
        if (self._curve, self._method) == ("PR", "careful_interpolation"):
            return _area_of_precision(hits, hits + false, positives)
        epsilon = 1e-6
        recall = (hits + epsilon) / (positives + epsilon)
        if self._curve == "ROC":
            x, y = false / (negatives + epsilon), recall
        else:
            x, y = recall, (hits + epsilon) / (hits + false + epsilon)
        if self._method == "minoring":
            height = tf.minimum(y[:-1], y[1:])
        elif self._method == "majoring":
            height = tf.maximum(y[:-1], y[1:])
        else:
            height = (y[:-1] + y[1:]) / 2.0
        return tf.reduce_sum((x[:-1] - x[1:]) * height)


def _area_of_precision(hits, found, positives):
    """The area where hits grow with what is found evenly between two thresholds."""
    more = hits[:-1] - hits[1:]
    slope = tf.math.divide_no_nan(more, tf.maximum(found[:-1] - found[1:], 0))
    start = hits[1:] - slope * found[1:]
    ratio = tf.where(
        (found[:-1] > 0) & (found[1:] > 0),
        tf.math.divide_no_nan(found[:-1], found[1:]),
        tf.ones_like(start),
    )
    area = slope * (more + start * tf.math.log(ratio))
    return tf.reduce_sum(tf.math.divide_no_nan(area, positives[1:]))
