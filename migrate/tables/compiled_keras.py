"""Maps the strings that Keras's `compile` takes: Keras 2.15, measured with tf_keras 2.21."""

from __future__ import annotations

# String -> class in tf.keras.optimizers.
OPTIMIZERS = {
    "sgd": "SGD",
    "adam": "Adam",
    "rmsprop": "RMSprop",
    "adagrad": "Adagrad",
    "adadelta": "Adadelta",
    "adamax": "Adamax",
    "nadam": "Nadam",
    "ftrl": "Ftrl",
}
# String -> class in tf.keras.losses.
LOSSES = {
    "mse": "MeanSquaredError",
    "mean_squared_error": "MeanSquaredError",
    "mae": "MeanAbsoluteError",
    "mean_absolute_error": "MeanAbsoluteError",
    "binary_crossentropy": "BinaryCrossentropy",
    "categorical_crossentropy": "CategoricalCrossentropy",
    "sparse_categorical_crossentropy": "SparseCategoricalCrossentropy",
    "huber": "Huber",
}
# Loss -> the metric that "accuracy" means with it, if the loss decides. With
# BinaryCrossentropy the width of the output decides.
ACCURACIES = {
    "SparseCategoricalCrossentropy": "sparse_categorical_accuracy",
    "CategoricalCrossentropy": "categorical_accuracy",
}
# String -> function in tf.keras.metrics. The metric is its mean over a batch.
METRICS = {
    "mse": "mean_squared_error",
    "mean_squared_error": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mean_absolute_error": "mean_absolute_error",
    "sparse_categorical_accuracy": "sparse_categorical_accuracy",
    "categorical_accuracy": "categorical_accuracy",
    "binary_accuracy": "binary_accuracy",
}
