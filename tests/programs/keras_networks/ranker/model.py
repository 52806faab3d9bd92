"""Makes the ranker's model function."""

import tensorflow as tf

from . import encoder
from .losses import hinge


def build_model_fn(rate, blocks=2):

  def model_fn(features, labels, mode, params, config):
    """Scores documents."""
    training = (mode == tf.estimator.ModeKeys.TRAIN)
    code = encoder.encode(features["document"], blocks, training)
    scores = tf.layers.dense(
        code, 1, name="score",
        kernel_initializer=tf.random_uniform_initializer(-0.6, 0.6, seed=4))[:, 0]
    predictions = {"score": scores, "code": code}
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = hinge(labels, scores)
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
          "mean": tf.metrics.mean(scores),
          "right": tf.metrics.accuracy(labels, scores > 0)})
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
      train_op = tf.train.GradientDescentOptimizer(rate).minimize(
          loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  return model_fn
