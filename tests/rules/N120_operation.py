import tensorflow as tf


def model_fn(features, labels, mode):
  net = tf.layers.dense(features["x"], 4, tf.nn.relu)
  logits = tf.layers.dense(net, 3)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = tf.train.AdamOptimizer(0.01).minimize(
      loss, tf.train.get_global_step())
  bias = tf.trainable_variables()[1]
  scaffold = tf.train.Scaffold(init_op=bias.assign([1.0] * 4))
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, scaffold=scaffold)


estimator = tf.estimator.Estimator(model_fn)
