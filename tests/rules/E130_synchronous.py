import tensorflow as tf

def model_fn(features, labels, mode):
  tf.train.SyncReplicasOptimizer(None, 2)
  return tf.estimator.EstimatorSpec(mode, predictions=logits)
