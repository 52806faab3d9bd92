"""Training that changes the variables of one scope, and leaves the others."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def body(features, training):
  with tf.variable_scope("body"):
    net = tf.layers.dense(
        features["x"], 6, tf.nn.relu, kernel_initializer=uniform(1),
        kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))
    return tf.layers.batch_normalization(net, momentum=0.8, training=training)


def tuned_fn(features, labels, mode):
  """The averages of the body move; its weights do not."""
  net = body(features, mode == tf.estimator.ModeKeys.TRAIN)
  with tf.variable_scope("head"):
    logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  loss += tf.losses.get_regularization_loss()
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  head = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="head")
  optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = optimizer.minimize(
        loss, global_step=tf.train.get_global_step(), var_list=head)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def clipped_fn(features, labels, mode):
  """The body alone, with gradients that are kept small."""
  net = body(features, mode == tf.estimator.ModeKeys.TRAIN)
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(2), name="head")
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  optimizer = tf.train.AdamOptimizer(0.05)
  grads_and_vars = optimizer.compute_gradients(loss, tf.trainable_variables("body/"))
  grads_and_vars = [(tf.clip_by_norm(g, 0.2), v) for g, v in grads_and_vars]
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = optimizer.apply_gradients(grads_and_vars, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, predictions={"logits": logits}, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(10)
  x = rng.randn(48, 4).astype(np.float32)
  y = (x.sum(1) > 0).astype(np.int64) + (x[:, 0] > 1)
  slices = tf.data.Dataset.from_tensor_slices

  results = {}
  for name, estimator in (
      ("tuned", tf.estimator.Estimator(tuned_fn, directory + "/tuned")),
      ("clipped", tf.estimator.Estimator(clipped_fn, directory + "/clipped")),
  ):
    for part in ("first", "later"):
      estimator.train(lambda: slices(({"x": x}, y)).batch(8), steps=5)
      evaluated = estimator.evaluate(lambda: slices(({"x": x}, y)).batch(12))
      results.update({name + "/" + part + "/" + k: v for k, v in evaluated.items()})
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
