"""Plain values among layers, labels that are bound anew, a spec for all modes, no labels."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def weighted_loss(labels, logits, weights):
  """The mean over examples, by class."""
  per_example = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
  return tf.reduce_mean(per_example * tf.reduce_sum(labels * weights, 1))


def classifier_fn(features, labels, mode, params):
  classes = params["classes"]
  weights = [1.0 + 0.5 * i for i in range(classes)]
  training = mode == tf.estimator.ModeKeys.TRAIN
  with tf.name_scope("tower"):
    net = tf.layers.conv1d(
        features["signal"], 4, 3, strides=2, padding="valid",
        kernel_initializer=uniform(1), name="conv")
    net = tf.layers.average_pooling1d(net, 2, 2)
    net = tf.layers.flatten(net)
  net = tf.layers.dropout(net, 0.3, seed=5, training=training)
  logits = tf.layers.dense(net, classes, kernel_initializer=uniform(2))
  logits = tf.clip_by_value(logits, -8.0, 8.0)
  classes_found = tf.argmax(logits, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"class": classes_found, "scores": tf.nn.softmax(logits)})

  sparse = labels
  labels = tf.one_hot(labels, classes)
  loss = weighted_loss(labels, logits, weights)
  if training:
    # One rate for all.
    learning_rate = params["rate"]
    tf.summary.scalar("learning_rate", learning_rate)
    optimizer = tf.train.AdamOptimizer(learning_rate, beta1=0.8)
    grads_and_vars = optimizer.compute_gradients(loss)
    # Small steps.
    grads_and_vars = [(tf.clip_by_norm(g, 0.5), v) for g, v in grads_and_vars]
    train_op = optimizer.apply_gradients(
        grads_and_vars, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
  return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
      "accuracy": tf.metrics.accuracy(sparse, classes_found),
      "mean squared": tf.metrics.mean_squared_error(labels, tf.nn.softmax(logits)),
      "mean": tf.metrics.mean(loss),
  })


def autoencoder_fn(features, labels, mode):
  """Learns its own input; nobody labels it."""
  code = tf.layers.dense(
      features, 2, tf.nn.sigmoid, name="code", kernel_initializer=uniform(3))
  again = tf.layers.dense(code, 4, name="again", kernel_initializer=uniform(4))
  loss = tf.losses.mean_squared_error(features, again)
  train_op = tf.train.FtrlOptimizer(0.05).minimize(
      loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(
      mode, {"code": code}, loss, train_op,
      {"mae": tf.metrics.mean_absolute_error(features, again)})


def run(directory):
  rng = np.random.RandomState(6)
  label = rng.randint(3, size=72).astype(np.int32)
  signal = (rng.randn(72, 11, 2) + label[:, None, None]).astype(np.float32)
  classifier = tf.estimator.Estimator(
      classifier_fn, directory + "/classifier", params={"classes": 3, "rate": 0.02})
  slices = tf.data.Dataset.from_tensor_slices
  batches = lambda: slices(({"signal": signal}, label)).repeat(4).batch(9)
  classifier.train(batches, max_steps=12)
  results = {"eval/" + k: v for k, v in classifier.evaluate(batches, 5).items()}
  # Other units are dropped than before.
  classifier.train(batches, steps=6)
  results.update({"again/" + k: v for k, v in classifier.evaluate(batches, 8).items()})
  found = list(classifier.predict(lambda: slices({"signal": signal}).batch(20)))
  for name in ("class", "scores"):
    results[name] = [p[name] for p in found]

  x = rng.randn(40, 4).astype(np.float32)
  autoencoder = tf.estimator.Estimator(autoencoder_fn, directory + "/autoencoder")
  rows = lambda: slices(x).repeat(5).batch(8)
  autoencoder.train(rows)
  results.update({"auto/" + k: v for k, v in autoencoder.evaluate(rows, 5).items()})
  results["code"] = [p["code"] for p in autoencoder.predict(lambda: slices(x).batch(8))]
  return results
