import tensorflow as tf


def model_fn(features, labels, mode):
  net = tf.layers.dense(features["x"], 4, tf.nn.relu)
  logits = tf.layers.dense(net, 3)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = tf.train.AdamOptimizer(0.01).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class Classifier(tf.estimator.Estimator):

  def __init__(self, model_dir=None):
    super(Classifier, self).__init__(model_fn, model_dir)

  def _input(self, path):
    return tf.data.TextLineDataset(path)


classifier = Classifier()
