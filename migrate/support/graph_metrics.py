"""Covariance, correlation and eager means of tf.contrib, in graph mode.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. Ranks must be known when the graph is built.
"""

import re

import tensorflow as tf

v1 = tf.compat.v1
_COLLECTIONS = (v1.GraphKeys.LOCAL_VARIABLES, v1.GraphKeys.METRIC_VARIABLES)


def streaming_covariance(
    predictions,
    labels,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The covariance of all batches so far, and what adds a batch to it.

    Args:
      weights: how often each example counts.
    """
    with v1.variable_scope(name, "covariance", (predictions, labels, weights)):
        predictions, labels, weights = _match_shapes(predictions, labels, weights)
        count = _make_variable("count")
        mean_prediction = _make_variable("mean_prediction")
        mean_label = _make_variable("mean_label")
        comoment = _make_variable("comoment")
        if weights is None:
            batch_count = tf.cast(tf.size(labels), tf.float32)
            weighted_predictions, weighted_labels = predictions, labels
        else:
            weights = _broadcast_weights(weights, labels)
            batch_count = tf.reduce_sum(weights)
            weighted_predictions = predictions * weights
            weighted_labels = labels * weights
        counted = v1.assign_add(count, batch_count)

        def add_to_mean(mean, weighted):
            """The batch's own mean, and the mean before it."""
            own = tf.math.divide_no_nan(tf.reduce_sum(weighted), batch_count)
            delta = tf.math.divide_no_nan((own - mean) * batch_count, counted)
            return own, v1.assign_add(mean, delta) - delta

        own_prediction, past_prediction = add_to_mean(
            mean_prediction, weighted_predictions
        )
        own_label, past_label = add_to_mean(mean_label, weighted_labels)
        residuals = (predictions - own_prediction) * (labels - own_label)
        if weights is not None:
            residuals *= weights
        delta = tf.reduce_sum(residuals) + (past_prediction - own_prediction) * (
            past_label - own_label
        ) * ((counted - batch_count) * batch_count / counted)
        added = v1.assign_add(comoment, delta)

        def divide(name):
            return v1.where(
                tf.less_equal(count, 1.0),
                float("nan"),
                tf.truediv(comoment, count - 1),
                name=name,
            )

        covariance = divide("covariance")
        with tf.control_dependencies([added]):
            update_op = divide("update_op")
    _collect(covariance, metrics_collections)
    _collect(update_op, updates_collections)
    return covariance, update_op


def streaming_pearson_correlation(
    predictions,
    labels,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The correlation coefficient of all batches so far, and what adds a batch to it."""
    with v1.variable_scope(name, "pearson_r", (predictions, labels, weights)):
        predictions, labels, weights = _match_shapes(predictions, labels, weights)
        if weights is not None:
            weights = _broadcast_weights(weights, labels)
        both, add_both = streaming_covariance(
            predictions, labels, weights=weights, name="covariance"
        )
        first, add_first = streaming_covariance(
            predictions, predictions, weights=weights, name="variance_predictions"
        )
        second, add_second = streaming_covariance(
            labels, labels, weights=weights, name="variance_labels"
        )
        pearson_r = tf.truediv(both, tf.sqrt(first) * tf.sqrt(second), name="pearson_r")
        update_op = tf.truediv(
            add_both, tf.sqrt(add_first) * tf.sqrt(add_second), name="update_op"
        )
    _collect(pearson_r, metrics_collections)
    _collect(update_op, updates_collections)
    return pearson_r, update_op


class Mean:
    """The weighted mean of the values that it is called with. It writes no summary."""

    def __init__(self, name=None, dtype=tf.float64, use_global_variables=False):
        self.dtype = dtype
        self._variables = []
        self._collections = [
            v1.GraphKeys.GLOBAL_VARIABLES if use_global_variables else _COLLECTIONS[0],
            _COLLECTIONS[1],
        ]
        name = name or type(self).__name__
        valid = re.sub("[^A-Za-z0-9.]", "_", name)
        with v1.variable_scope(valid, use_resource=True, reuse=False) as scope:
            place = scope.name.rfind(valid)
            self._name = name + scope.name[place + len(valid) :]
            self._scope = scope
        if not tf.executing_eagerly():
            self.call = tf.function(self.call)

    def __call__(self, *args, **kwargs):
        if not self._variables:
            with v1.variable_scope(self._scope):
                self.numer = self._add_variable("numer")
                self.denom = self._add_variable("denom")
        return self.call(*args, **kwargs)

    @property
    def name(self):
        return self._name

    @property
    def variables(self):
        return self._variables

    def init_variables(self):
        """Begins anew: an operation in a graph."""
        if not tf.executing_eagerly():
            return tf.group([v.initializer for v in self._variables])
        for variable in self._variables:
            variable.assign(tf.zeros([], self.dtype))
        return None

    def call(self, values, weights=None):
        """Adds values, and gives back its arguments."""
        if weights is None:
            self.denom.assign_add(tf.cast(tf.size(values), self.dtype))
            values = tf.reduce_sum(values)
            self.numer.assign_add(tf.cast(values, self.dtype))
            return values
        weights = tf.cast(weights, self.dtype)
        self.denom.assign_add(tf.reduce_sum(weights))
        values = tf.cast(values, self.dtype) * weights
        self.numer.assign_add(tf.reduce_sum(values))
        return values, weights

    def result(self, write_summary=True):
        return self.numer / self.denom

    def value(self):
        """The result in a graph, else what computes it."""
        return self.result if tf.executing_eagerly() else self.result()

    def _add_variable(self, name):
        variable = v1.get_variable(
            name,
            (),
            self.dtype,
            v1.zeros_initializer,
            trainable=False,
            collections=None if tf.executing_eagerly() else self._collections,
            use_resource=True,
        )
        self._variables.append(variable)
        return variable


def _make_variable(name):
    return v1.Variable(
        lambda: tf.zeros([], tf.float32),
        trainable=False,
        collections=list(_COLLECTIONS),
        name=name,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )


def _match_shapes(predictions, labels, weights):
    """The same without a last dimension of 1 that one of them has too many."""
    predictions, labels = map(tf.convert_to_tensor, (predictions, labels))
    if predictions.shape.rank is None or labels.shape.rank is None:
        raise ValueError("The ranks of predictions and labels must be known.")
    more = predictions.shape.rank - labels.shape.rank
    if more == 1:
        predictions = tf.squeeze(predictions, [-1])
    elif more == -1:
        labels = tf.squeeze(labels, [-1])
    predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = tf.convert_to_tensor(weights)
    if weights.shape.rank is None:
        raise ValueError("The rank of weights must be known.")
    if weights.shape.rank:
        more = weights.shape.rank - predictions.shape.rank
        if more == 1:
            weights = tf.squeeze(weights, [-1])
        elif more == -1:
            weights = weights[..., None]
    return predictions, labels, weights


def _broadcast_weights(weights, values):
    """A weight for each value; each dimension of weights is 1 or that of the values."""
    rank = weights.shape.rank
    if rank and (
        rank != values.shape.rank
        or any(
            known is not None and other is not None and known not in (1, other)
            for known, other in zip(weights.shape.as_list(), values.shape.as_list())
        )
    ):
        raise ValueError(f"weights {weights.shape} do not fit values {values.shape}")
    return weights * tf.ones_like(values, dtype=weights.dtype)


def _collect(value, collections):
    if collections:
        v1.add_to_collections(collections, value)
