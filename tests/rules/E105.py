import tensorflow as tf

def model_fn(features, labels, mode):
  n = features.shape[-1].value + 1
  return tf.estimator.EstimatorSpec(mode, predictions=logits)
