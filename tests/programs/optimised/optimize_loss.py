"""contrib's optimize_loss with what public programs give it, and training that goes on."""

import glob
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def halved(rate, step):
  return tf.train.exponential_decay(rate, step, 4, 0.5, staircase=True)


def updated(loss, mode, params):
  """An update that a function makes, in training."""
  return tf.contrib.layers.optimize_loss(
      loss, tf.train.get_global_step(), params["rate"], tf.train.AdamOptimizer,
      learning_rate_decay_fn=lambda lr, step: 0.01 + tf.train.exponential_decay(
          lr, step, 4, 0.5),
      summaries=[]) if mode == tf.estimator.ModeKeys.TRAIN else None


def named_fn(features, labels, mode, params):
  """An optimizer by its name, in the spec itself."""
  net = tf.layers.dense(features["x"], 6, tf.nn.relu, kernel_initializer=uniform(1))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  return tf.estimator.EstimatorSpec(
      mode, loss=loss,
      train_op=layers.optimize_loss(
          loss=loss,
          global_step=tf.contrib.framework.get_global_step(),
          learning_rate=params["rate"],
          optimizer="SGD"),
      eval_metric_ops={
          "right": tf.metrics.accuracy(labels, tf.argmax(logits, axis=1))})


def clipped_fn(features, labels, mode, params):
  """Averages of layers, a rate that decays, gradients that are clipped."""
  training = mode == tf.estimator.ModeKeys.TRAIN
  net = tf.layers.dense(
      features["x"], 6, use_bias=False, kernel_initializer=uniform(1))
  net = tf.nn.relu(tf.layers.batch_normalization(net, momentum=0.8, training=training))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = None
  if training:
    train_op = tf.contrib.layers.optimize_loss(
        loss, tf.train.get_global_step(), params["rate"], "Adam",
        clip_gradients=0.25,
        # Half of it every four steps.
        learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(
            rate, step, 4, 0.5))
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def chosen_fn(features, labels, mode, params):
  """Momentum by a lambda, functions of the file, variables of one scope, in scopes."""
  net = tf.layers.dense(features["x"], 6, tf.nn.relu, kernel_initializer=uniform(1))
  with tf.variable_scope("head"):
    logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  rate = params["rate"] * 0.5
  with tf.variable_scope("train"):
    train_op = tf.contrib.layers.optimize_loss(
        loss,
        tf.train.get_global_step(),
        rate,
        lambda rate: tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True),
        learning_rate_decay_fn=halved,
        variables=tf.trainable_variables("head"),
        summaries=["loss"],
        name="of_head")
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def class_fn(features, labels, mode, params):
  """Variables of its own, a class, a computed rate; nothing is summarised."""
  table = tf.get_variable("table", [4, 5], initializer=uniform(3))
  net = tf.nn.tanh(tf.matmul(features["x"], table))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = updated(loss, mode, params)
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def tensor_fn(features, labels, mode):
  """A rate that is a tensor: nothing holds it."""
  net = tf.layers.dense(features["x"], 6, tf.nn.relu, kernel_initializer=uniform(1))
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  step = tf.train.get_global_step()
  rate = tf.train.polynomial_decay(0.1, step, 12)
  train_op = tf.contrib.layers.optimize_loss(
      loss, step, rate, optimizer="RMSProp", clip_gradients=0.5)
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def instance_fn(features, labels, mode):
  """An optimizer that has its rate."""
  logits = tf.layers.dense(features["x"], 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  optimizer = tf.train.AdagradOptimizer(0.1)
  train_op = tf.contrib.layers.optimize_loss(
      loss, tf.train.get_global_step(), None, optimizer)
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def estimators(directory, rate):
  config = tf.estimator.RunConfig(save_summary_steps=1)
  params = {"rate": rate}
  return {
      "named": tf.estimator.Estimator(
          named_fn, os.path.join(directory, "named"), config, params),
      "clipped": tf.estimator.Estimator(
          clipped_fn, os.path.join(directory, "clipped"), config, params),
      "chosen": tf.estimator.Estimator(
          chosen_fn, os.path.join(directory, "chosen"), config, params),
      "class": tf.estimator.Estimator(
          class_fn, os.path.join(directory, "class"), config, params),
      "tensor": tf.estimator.Estimator(
          tensor_fn, os.path.join(directory, "tensor"), config),
      "instance": tf.estimator.Estimator(
          instance_fn, os.path.join(directory, "instance"), config),
  }


def tags(directory):
  """The last value of each scalar summary."""
  found = {}
  for path in sorted(glob.glob(os.path.join(directory, "events*"))):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.HasField("simple_value") and "/sec" not in value.tag:
          found[value.tag] = value.simple_value
  return found


def run(directory):
  rng = np.random.RandomState(10)
  x = rng.randn(48, 4).astype(np.float32)
  y = (x.sum(1) > 0).astype(np.int64) + (x[:, 0] > 1)
  slices = tf.data.Dataset.from_tensor_slices

  results = {}
  for name, estimator in estimators(directory, rate=0.1).items():
    if tf.train.latest_checkpoint(estimator.model_dir) is None:
      estimator.train(lambda: slices(({"x": x}, y)).batch(8), steps=5)
  # They go on with the rate that they had: the checkpoint has it.
  for name, estimator in estimators(directory, rate=0.7).items():
    estimator.train(lambda: slices(({"x": x}, y)).batch(8), max_steps=10)
    evaluated = estimator.evaluate(lambda: slices(({"x": x}, y)).batch(12))
    results.update({name + "/" + k: v for k, v in evaluated.items()})
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
    for tag, value in tags(estimator.model_dir).items():
      results[name + "/tag/" + tag] = value
  named = estimators(directory, rate=0.1)["named"]
  results["logits"] = [
      p["logits"] for p in named.predict(lambda: slices(({"x": x}, y)).batch(12))]
  return results
