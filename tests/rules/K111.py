import tensorflow as tf


class Trainer(object):

  def __init__(self, hidden):
    self.hidden = hidden
    self.estimator = tf.estimator.Estimator(model_fn=self.model_fn)

  def model_fn(self, features, labels, mode):
    net = tf.layers.dense(features["x"], self.hidden, tf.nn.relu)
    logits = tf.layers.dense(net, 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.01).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


trainer = Trainer(4)
