"""A DataFrame's columns, by pandas_input_fn: labels a Series, a DataFrame, or none."""

import numpy as np
import pandas as pd
import tensorflow as tf


def model_fn(features, labels, mode):
  x = tf.stack([tf.to_float(features[name]) for name in ("age", "hours")], 1)
  city = tf.feature_column.categorical_column_with_vocabulary_list(
    "city", ["oslo", "lund"], num_oov_buckets=1)
  one_hot = tf.feature_column.input_layer(
    features, [tf.feature_column.indicator_column(city)])
  out = tf.layers.dense(
    tf.concat([x / 50.0, one_hot], 1), 2,
    kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=1))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"out": out})
  if isinstance(labels, dict):
    labels = tf.stack([labels["first"], labels["second"]], 1)
  else:
    labels = tf.stack([labels, -labels], 1)
  loss = tf.losses.mean_squared_error(tf.to_float(labels), out)
  train_op = tf.train.AdagradOptimizer(0.1).minimize(
    loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(0)
  frame = pd.DataFrame({
    "age": rng.randint(18, 70, 35),
    "city": rng.choice(["oslo", "lund", "rome"], 35),
    "hours": rng.randn(35).astype(np.float32),
  })
  one = pd.Series(frame["hours"] * 2, name="target")
  two = pd.DataFrame({"first": frame["hours"],
                      "second": np.float32(frame["age"] / 70)})
  pandas_input_fn = tf.estimator.inputs.pandas_input_fn
  r = {}
  for name, labels in (("one", one), ("two", two)):
    estimator = tf.estimator.Estimator(model_fn, directory + "/" + name)
    estimator.train(pandas_input_fn(
      frame, labels, batch_size=8, num_epochs=None, shuffle=False), steps=9)
    for key, value in estimator.evaluate(pandas_input_fn(
        x=frame, y=labels, batch_size=10, num_epochs=2, shuffle=False)).items():
      r[name + "/" + key] = value
    r[name + "/out"] = [p["out"] for p in estimator.predict(
      pandas_input_fn(frame, batch_size=4, shuffle=False))]
    for variable in estimator.get_variable_names():
      r[name + "/v/" + variable] = estimator.get_variable_value(variable)
  return r
