"""Totals of the losses that a graph has collected: several, with penalties and without."""

import os

import numpy as np
import tensorflow as tf

PENALTY = tf.contrib.layers.l2_regularizer(0.1)


SAME = tf.constant_initializer(0.1)


def without_penalties(features, labels, mode):
  rating = tf.layers.dense(
      features, 1, kernel_initializer=SAME, kernel_regularizer=PENALTY, name="rating")
  error = tf.losses.mean_squared_error(labels, rating)
  total = tf.losses.get_total_loss(add_regularization_losses=False)
  train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
      total, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=total, train_op=train_op)


def of_several(features, labels, mode):
  rating = tf.layers.dense(
      features, 1, kernel_initializer=SAME, kernel_regularizer=PENALTY, name="rating")
  main = tf.losses.mean_squared_error(labels, rating)
  aside = tf.losses.huber_loss(labels, 0.5 * rating, weights=0.4)
  # Is told, and not trained.
  shown = tf.losses.absolute_difference(labels, rating, loss_collection=None)
  tf.summary.scalar("shown", shown)
  loss = tf.losses.get_total_loss()
  later = tf.losses.log_loss(tf.ones_like(rating), tf.sigmoid(rating))
  tf.summary.scalar("later", later)
  train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def under_one_name(features, labels, mode):
  hidden = tf.layers.dense(
      features, 2, kernel_initializer=SAME, kernel_regularizer=PENALTY, name="hidden")
  rating = tf.layers.dense(
      hidden, 1, kernel_initializer=SAME, kernel_regularizer=PENALTY, name="rating")
  loss = tf.losses.mean_squared_error(labels, rating)
  loss = tf.losses.get_total_loss(name="all")
  train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def before_more_layers(features, labels, mode):
  rating = tf.layers.dense(
      features, 1, kernel_initializer=SAME, kernel_regularizer=PENALTY, name="rating")
  error = tf.losses.mean_squared_error(labels, rating)
  loss = tf.losses.get_total_loss()
  critic = tf.layers.dense(
      rating, 1, kernel_initializer=SAME, kernel_regularizer=PENALTY, name="critic")
  judged = loss + 0.1 * tf.reduce_sum(critic)
  train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
      judged, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def in_the_spec(features, labels, mode):
  rating = tf.layers.dense(
      features, 1, kernel_initializer=SAME, kernel_regularizer=PENALTY, name="rating")
  error = tf.losses.mean_squared_error(labels, rating)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=tf.losses.get_total_loss(), eval_metric_ops={
            "penalty": tf.metrics.mean(tf.losses.get_regularization_loss())})
  total = error + tf.losses.get_regularization_loss()
  train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
      total, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=total, train_op=train_op)


def reported(features, labels, mode):
  rating = tf.layers.dense(
      features, 1, kernel_initializer=SAME, kernel_regularizer=PENALTY, name="rating")
  error = tf.losses.mean_squared_error(labels, rating)
  total = error + tf.losses.get_regularization_loss()
  train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
      total, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=error + tf.losses.get_regularization_loss(), train_op=train_op)


def input_fn():
  x = np.arange(30, dtype=np.float32).reshape(10, 3) / 30
  dataset = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True)))
  return dataset.repeat().batch(4)


def seen(estimator):
  """Losses of training by step, of an evaluation, and the weights."""
  hook = tf.train.CheckpointSaverHook(
      os.path.join(estimator.model_dir, "often"), save_steps=1)
  estimator.train(input_fn, steps=4, hooks=[hook])
  losses = []
  for name in sorted(os.listdir(estimator.model_dir)):
    if name.startswith("events"):
      path = os.path.join(estimator.model_dir, name)
      for event in tf.train.summary_iterator(path):
        losses += [v.simple_value for v in event.summary.value if v.tag == "loss"]
  latest = tf.train.latest_checkpoint(os.path.join(estimator.model_dir, "often"))
  kept = [n for n in os.listdir(os.path.dirname(latest)) if n.endswith(".index")]
  return {
      "losses": losses,
      "kept": len(kept),
      "rating": tf.train.load_variable(latest, "rating/kernel"),
      "evaluated": sorted(
          estimator.evaluate(
              input_fn, steps=3, checkpoint_path=latest).items())[-1][1],
      "loss": estimator.evaluate(
          input_fn, steps=3, checkpoint_path=latest)["loss"],
  }


def run(directory):
  config = tf.estimator.RunConfig(save_summary_steps=1, keep_checkpoint_max=2)

  def at(name):
    return os.path.join(directory, name)

  estimators = {
      "without_penalties": tf.estimator.Estimator(
          without_penalties, at("without_penalties"), config),
      "of_several": tf.estimator.Estimator(of_several, at("of_several"), config),
      "under_one_name": tf.estimator.Estimator(
          under_one_name, at("under_one_name"), config),
      "before_more_layers": tf.estimator.Estimator(
          before_more_layers, at("before_more_layers"), config),
      "in_the_spec": tf.estimator.Estimator(in_the_spec, at("in_the_spec"), config),
      "reported": tf.estimator.Estimator(reported, at("reported"), config),
  }
  found = {}
  for name in sorted(estimators):
    for key, value in seen(estimators[name]).items():
      found[name + "_" + key] = value
  return found
