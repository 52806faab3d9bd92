"""Ready-made Estimators under heads of the program's own choice, and the baseline."""

import numpy as np
import tensorflow as tf


def run(directory):
  rng = np.random.RandomState(11)
  features = {"kind": rng.choice(["a", "b", "c"], 72),
              "size": rng.rand(72).astype(np.float32)}
  labels = (features["size"] + (features["kind"] == "b") > 0.8).astype(np.int32)
  kind = tf.feature_column.categorical_column_with_vocabulary_list(
      "kind", ["a", "b", "c"])
  size = tf.feature_column.numeric_column("size")
  columns = [kind, size, tf.feature_column.crossed_column(
      [kind, tf.feature_column.bucketized_column(size, [0.3, 0.6])], 9)]
  estimators = {
      "linear": tf.estimator.LinearEstimator(
          tf.contrib.estimator.regression_head(label_dimension=1), columns,
          directory + "/linear", optimizer="SGD"),
      "both": tf.estimator.DNNLinearCombinedEstimator(
          tf.contrib.estimator.binary_classification_head(), directory + "/both",
          linear_feature_columns=columns,
          linear_optimizer=tf.train.FtrlOptimizer(
              0.1, l2_regularization_strength=0.01)),
      "baseline": tf.estimator.BaselineClassifier(
          directory + "/baseline", n_classes=3),
  }
  results = {}
  for name, estimator in estimators.items():
    input_fn = tf.estimator.inputs.numpy_input_fn(
        features, labels, batch_size=18, num_epochs=4, shuffle=False)
    estimator.train(input_fn, max_steps=16)
    for key, value in estimator.evaluate(input_fn, steps=4).items():
      results[name + "/" + key] = value
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
