"""Losses of click models."""

import tensorflow as tf


def click_loss(labels, logits):
  labels = tf.cast(labels, tf.float32)
  return tf.reduce_mean(
      tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
