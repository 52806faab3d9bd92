"""Heads of tf.contrib.estimator in a model_fn: thresholds, a vocabulary, a name, metrics added."""

import numpy as np
import tensorflow as tf

CITIES = ["bergen", "lund", "oslo"]


def rows(seed, count):
  rng = np.random.RandomState(seed)
  x = rng.randn(count, 3).astype(np.float32)
  weight = rng.choice([0.5, 2.0], count).astype(np.float32)
  return {"x": x, "weight": weight}, x


def binary_model_fn(features, labels, mode, params):
  head = tf.contrib.estimator.binary_classification_head(
      thresholds=[0.3, 0.5], weight_column="weight", name="wanted")
  net = tf.feature_column.input_layer(features, params["columns"])
  logits = tf.layers.dense(
      net, units=head.logits_dimension,
      kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
  optimizer = tf.train.AdagradOptimizer(params["rate"])
  return head.create_estimator_spec(
      features=features, mode=mode, labels=labels, logits=logits,
      train_op_fn=lambda loss: optimizer.minimize(
          loss, global_step=tf.train.get_global_step()))


def cities_model_fn(features, labels, mode, params):
  del params
  head = tf.contrib.estimator.multi_class_head(
      len(CITIES), label_vocabulary=CITIES,
      loss_reduction=tf.losses.Reduction.SUM)
  logits = tf.layers.dense(
      features["x"], head.logits_dimension,
      kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2))
  return head.create_estimator_spec(
      features, mode, logits, labels=labels,
      optimizer=tf.train.MomentumOptimizer(0.01, 0.9))


def more_metrics(labels, predictions):
  return {"mae": tf.metrics.mean_absolute_error(
      tf.to_float(labels), predictions["logistic"])}


def run(directory):
  results = {}
  columns = [tf.feature_column.numeric_column("x", shape=3)]
  features, x = rows(0, 96)
  label = (x[:, :1] + 0.2 * x[:, 1:2] > 0).astype(np.int32)
  city = np.array(CITIES)[np.digitize(x[:, 0] - x[:, 2], [-0.5, 0.5])]
  for name, labels, model_fn in (("binary", label, binary_model_fn),
                                 ("cities", city, cities_model_fn)):
    estimator = tf.estimator.Estimator(
        model_fn, directory + "/" + name, params={"columns": columns, "rate": 0.3})
    if name == "binary":
      estimator = tf.contrib.estimator.add_metrics(estimator, more_metrics)
    estimator.train(tf.estimator.inputs.numpy_input_fn(
        features, labels, batch_size=12, num_epochs=2, shuffle=False))
    input_fn = tf.estimator.inputs.numpy_input_fn(
        features, labels, batch_size=30, num_epochs=1, shuffle=False)
    for key, value in estimator.evaluate(input_fn).items():
      results[name + "/" + key] = value
    found = list(estimator.predict(input_fn))
    results[name + "/probabilities"] = [p["probabilities"] for p in found]
    results[name + "/class_ids"] = [p["class_ids"] for p in found]
  return results
