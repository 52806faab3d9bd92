"""Deep and crossed features of a click."""

import tensorflow as tf

from ctr import losses
from ctr.layers import crossed, dense_block, init


def click_model_fn(features, labels, mode, params):
  """Predicts a click."""
  training = mode == tf.estimator.ModeKeys.TRAIN
  columns = [features["user"], features["item"]]
  net = tf.concat(columns, axis=1)
  deep = net
  with tf.variable_scope("deep"):
    for i, units in enumerate(params["hidden"]):
      deep = dense_block(
          deep, units, "layer%d" % i, training, rate=params["dropout"])
  wide = crossed(net, 3, params["l2"])
  both = tf.concat([deep, wide], 1)
  logits = tf.squeeze(tf.layers.dense(
      both, 1, kernel_initializer=init(2), name="logits"), axis=1)
  click = tf.sigmoid(logits)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"click": click})

  loss = losses.click_loss(labels, logits)
  loss += tf.losses.get_regularization_loss()
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
        "auc": tf.metrics.auc(labels, click)})

  # Clipped, as in the paper.
  optimizer = tf.train.AdagradOptimizer(params["rate"])
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, _ = tf.clip_by_global_norm(gradients, 2.0)
    train_op = optimizer.apply_gradients(
        zip(gradients, variables), tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
