import tensorflow as tf


def model_fn(features, labels, mode):
  for v in tf.trainable_variables():
    tf.summary.histogram(v.op.name, v)
  return tf.estimator.EstimatorSpec(mode, predictions=features)
