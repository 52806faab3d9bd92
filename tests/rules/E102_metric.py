import tensorflow as tf

def model_fn(features, labels, mode):
  tf.metrics.mean(features)
  return tf.estimator.EstimatorSpec(mode, predictions=logits)
