import tensorflow as tf


class StopBelow(tf.train.SessionRunHook):
  def __init__(self, loss, limit):
    self._loss, self._limit = loss, limit

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    if run_values.results < self._limit:
      run_context.request_stop()


def model_fn(features, labels, mode):
  logits = tf.layers.dense(features["x"], 10)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=[StopBelow(loss, 0.1)])


estimator = tf.estimator.Estimator(model_fn)
