"""Heads of tf.contrib.estimator in graph mode: of one label, and of several numbers.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, and `graph_estimators.py` with the package that it names.

Each is the package's head of a ready-made Estimator, with contrib's defaults: losses are
divided by the number of examples.
"""

import tensorflow as tf

try:
    import graph_estimators
except ImportError:  # In a package.
    from . import graph_estimators

# Of the package, whose import graph_estimators has prepared.
_heads = graph_estimators.import_private("canned.head")
v1 = tf.compat.v1
_MEAN = v1.losses.Reduction.SUM_OVER_BATCH_SIZE


def multi_class_head(
    n_classes,
    weight_column=None,
    label_vocabulary=None,
    loss_reduction=_MEAN,
    loss_fn=None,
    name=None,
):
    """One of three or more classes: a softmax."""
    return _heads._multi_class_head_with_softmax_cross_entropy_loss(
        n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name
    )


def binary_classification_head(
    weight_column=None,
    thresholds=None,
    label_vocabulary=None,
    loss_reduction=_MEAN,
    loss_fn=None,
    name=None,
):
    """One of two classes: a sigmoid."""
    return _heads._binary_logistic_head_with_sigmoid_cross_entropy_loss(
        weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name
    )


def regression_head(
    weight_column=None,
    label_dimension=1,
    loss_reduction=_MEAN,
    loss_fn=None,
    inverse_link_fn=None,
    name=None,
):
    """Numbers: their squared error."""
    return _heads._regression_head(
        weight_column, label_dimension, loss_reduction, loss_fn, inverse_link_fn, name
    )


def poisson_regression_head(
    weight_column=None,
    label_dimension=1,
    loss_reduction=_MEAN,
    compute_full_loss=True,
    name=None,
):
    """Counts, whose logarithms the logits are."""

    def lose(labels, logits):
        return tf.nn.log_poisson_loss(labels, logits, compute_full_loss)

    return regression_head(
        weight_column, label_dimension, loss_reduction, lose, tf.exp, name
    )


def logistic_regression_head(weight_column=None, loss_reduction=_MEAN, name=None):
    """A number between 0 and 1: a sigmoid."""

    def lose(labels, logits):
        labels = _heads._assert_range(labels, 2, "Labels must be in range [0, 1]")
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    return regression_head(weight_column, 1, loss_reduction, lose, tf.sigmoid, name)
