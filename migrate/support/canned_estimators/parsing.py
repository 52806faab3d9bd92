"""How examples are parsed for a ready-made Estimator."""

import tensorflow as tf

v1 = tf.compat.v1


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
