import tensorflow as tf


def model_fn(features, labels, mode):
  with tf.device("/cpu:0"):
    table = tf.get_variable("table", [9, 4])
    net = tf.nn.embedding_lookup(table, features["word"])
  logits = tf.layers.dense(net, 3)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  train_op = tf.train.AdamOptimizer(0.01).minimize(
      loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
