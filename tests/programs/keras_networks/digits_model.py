"""The model function of all programs of the digits."""

from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow as tf

import digits_network as network


def model_fn(features, labels, mode, params):
  """Model function for the digits."""
  is_training = mode == tf.estimator.ModeKeys.TRAIN

  # Logits layer
  logits = network.inference(
      features['image'], params['hidden_units'], is_training)

  predictions = {
      'classes': tf.argmax(input=logits, axis=1),
      'probabilities': tf.nn.softmax(logits, name='softmax_tensor'),
  }
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode=mode, predictions=predictions, export_outputs={
            'classify': tf.estimator.export.PredictOutput(predictions)})

  loss = network.loss(logits, labels)
  tf.summary.scalar('cross_entropy', loss)

  if mode == tf.estimator.ModeKeys.TRAIN:
    optimizer = tf.train.MomentumOptimizer(params['learning_rate'], 0.9)
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
      train_op = optimizer.minimize(
          loss=loss, global_step=tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train_op)

  eval_metric_ops = {
      'accuracy': tf.metrics.accuracy(
          labels=labels, predictions=predictions['classes'])
  }
  return tf.estimator.EstimatorSpec(
      mode=mode, loss=loss, eval_metric_ops=eval_metric_ops)
