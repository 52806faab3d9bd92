"""Variables in parts: a partitioner of a scope and of a variable, rows by "mod" and by "div"."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def model_fn(features, labels, mode, params):
  with tf.variable_scope("tables", partitioner=tf.fixed_size_partitioner(3)):
    words = tf.get_variable("words", [11, 4], initializer=uniform(1))
    other = tf.get_variable("other", [7, 4], initializer=uniform(2))
  net = tf.nn.embedding_lookup(words, features["word"])
  net += tf.nn.embedding_lookup(other, features["word"] % 7, partition_strategy="div")
  weights = tf.get_variable(
      "weights", [4, 3], initializer=uniform(3),
      partitioner=tf.min_max_variable_partitioner(2, min_slice_size=24))
  logits = tf.matmul(net, weights)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, {"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  with tf.variable_scope("train"):
    optimizer = tf.train.AdamOptimizer(params.rate)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(3)
  word = rng.randint(11, size=64)
  features, labels = {"word": word}, (word % 3).astype(np.int32)

  def input_fn():
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    return dataset.repeat(8).batch(16)

  params = tf.contrib.training.HParams(rate=0.05)
  estimator = tf.estimator.Estimator(model_fn, directory, params=params)
  estimator.train(input_fn, steps=10)
  estimator.train(input_fn, max_steps=24)
  results = {"eval/" + k: v for k, v in estimator.evaluate(input_fn, 4).items()}
  results["logits"] = [p["logits"] for p in estimator.predict(input_fn)][:64]
  results["words"] = estimator.get_variable_value("tables/words")
  results["weights"] = estimator.get_variable_value("weights")
  return results
