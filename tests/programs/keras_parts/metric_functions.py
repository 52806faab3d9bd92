"""Metrics that functions make: within the model_fn as BERT's, and of the module."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def classifier_fn(features, labels, mode, params):
  """The metrics of a classifier, for rows that are no padding."""
  hidden = tf.get_variable("hidden", [3, params["units"]], initializer=uniform(1))
  is_real_example = tf.cast(features["is_real_example"], dtype=tf.float32)
  output = tf.tanh(tf.matmul(features["x"], hidden))
  keep_prob = 0.9 if mode == tf.estimator.ModeKeys.TRAIN else 1.0
  output = tf.nn.dropout(output, keep_prob=keep_prob, seed=7)
  logits = tf.layers.dense(output, 3, kernel_initializer=uniform(2))
  probabilities = tf.nn.softmax(logits, axis=-1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode=mode, predictions={"probabilities": probabilities})
  log_probs = tf.nn.log_softmax(logits, axis=-1)
  one_hot_labels = tf.one_hot(labels, depth=3, dtype=tf.float32)
  per_example_loss = -tf.reduce_sum(one_hot_labels * log_probs, axis=-1)
  loss = tf.reduce_mean(per_example_loss)
  if mode == tf.estimator.ModeKeys.TRAIN:
    train_op = tf.train.AdamOptimizer(0.02).minimize(
        loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train_op)

  # Padding counts for nothing.
  def metric_fn(per_example_loss, label_ids, logits, is_real_example):
    """What is told of an evaluation."""
    predictions = tf.argmax(logits, axis=-1, output_type=tf.int32)
    accuracy = tf.metrics.accuracy(
        labels=label_ids, predictions=predictions, weights=is_real_example)
    # Of the loss as well.
    mean_loss = tf.metrics.mean(values=per_example_loss, weights=is_real_example)
    return {
        "eval_accuracy": accuracy,
        "eval_loss": mean_loss,
    }

  eval_metrics = metric_fn(per_example_loss, labels, logits, is_real_example)
  return tf.estimator.EstimatorSpec(
      mode=mode, loss=loss, eval_metric_ops=eval_metrics)


# Of two classes.
def count(labels, predictions, threshold=0.5):
  above = predictions["score"] > threshold
  return {
      "auc": tf.metrics.auc(labels, predictions["score"]),
      "precision": tf.metrics.precision(labels=labels, predictions=above),
      "recall": tf.metrics.recall(labels, above),
      "right": tf.metrics.accuracy(
          tf.cast(labels, tf.bool), above, name="right_metric"),
  }


def binary_fn(features, labels, mode):
  net = tf.layers.dense(features["x"], 4, tf.nn.relu, kernel_initializer=uniform(3))
  logits = tf.layers.dense(net, 1, kernel_initializer=uniform(4))
  predictions = {"score": tf.sigmoid(logits)}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)
  labels = tf.cast(tf.expand_dims(labels > 0, 1), tf.float32)
  loss = tf.losses.sigmoid_cross_entropy(labels, logits)
  train_op = tf.train.GradientDescentOptimizer(0.3).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, predictions, loss, train_op,
      eval_metric_ops=count(labels, predictions, threshold=0.4))


def run(directory):
  rng = np.random.RandomState(9)
  count = 48
  x = rng.randn(count, 3).astype(np.float32)
  label = (x.argmax(1)).astype(np.int32)
  features = {"x": x, "is_real_example": (np.arange(count) % 5 > 0).astype(np.int32)}
  slices = tf.data.Dataset.from_tensor_slices
  results = {}
  for name, estimator in (
      ("classifier", tf.estimator.Estimator(
          classifier_fn, directory + "/classifier", params={"units": 5})),
      ("binary", tf.estimator.Estimator(binary_fn, directory + "/binary")),
  ):
    estimator.train(lambda: slices((features, label)).repeat(4).batch(8))
    evaluated = estimator.evaluate(lambda: slices((features, label)).batch(10))
    results.update({name + "/eval/" + k: v for k, v in evaluated.items()})
    predicted = list(estimator.predict(lambda: slices(features).batch(9)))
    for key in predicted[0]:
      results[name + "/predicted/" + key] = [p[key] for p in predicted]
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
