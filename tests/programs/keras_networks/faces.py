"""Trains and evaluates the faces."""

import numpy as np
import tensorflow as tf

import training_log
from faces_network import classify, embedding

PARAMS = {"channels": [3, 4], "use_batch_norm": True, "momentum": 0.8, "size": 5}


def faces_model_fn(features, labels, mode, params):
  with tf.variable_scope("model"):
    vector = embedding(features["image"], mode, params)
    logits = classify(vector, mode=mode)
  classes = tf.argmax(logits, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"class": classes, "vector": vector})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  metrics = {"accuracy": tf.metrics.accuracy(labels, classes)}
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
        loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(9)
  images = rng.rand(24, 64).astype(np.float32)
  labels = (images[:, :32].mean(1) > 0.5).astype(np.int64)
  slices = tf.data.Dataset.from_tensor_slices
  found = {}
  for name, more in (("with", {}), ("without", {"use_batch_norm": False})):
    estimator = tf.estimator.Estimator(
        faces_model_fn, directory + "/" + name, training_log.every_step(),
        dict(PARAMS, **more))
    estimator.train(
        lambda: slices(({"image": images}, labels)).repeat(3).batch(8))
    evaluated = estimator.evaluate(
        lambda: slices(({"image": images}, labels)).batch(10))
    found.update(training_log.results(name, estimator, evaluated))
    predicted = list(estimator.predict(lambda: slices({"image": images}).batch(10)))
    found[name + "/class"] = [p["class"] for p in predicted]
    found[name + "/vector"] = [p["vector"] for p in predicted]
  return found
