import tensorflow as tf


def create_optimizer(loss, rate):
  optimizer = tf.train.AdamOptimizer(rate)
  return optimizer.minimize(loss, tf.train.get_global_step())


def model_fn(features, labels, mode, params):
  net = tf.layers.dense(features["x"], 4, tf.nn.relu)
  logits = tf.layers.dense(net, 3)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = create_optimizer(loss, params["rate"])
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, params={"rate": 0.01})
