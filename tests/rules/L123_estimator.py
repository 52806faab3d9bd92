import tensorflow as tf

def model_fn(features, labels, mode):
  tf.layers.batch_normalization(features, training=True)
  return tf.estimator.EstimatorSpec(mode, predictions=logits)
