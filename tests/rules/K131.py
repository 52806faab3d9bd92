import tensorflow as tf


class Weights(tf.train.SessionRunHook):
  def before_run(self, run_context):
    return tf.train.SessionRunArgs("dense/kernel:0")

  def after_run(self, run_context, run_values):
    print(run_values.results)


def model_fn(features, labels, mode):
  logits = tf.layers.dense(features["x"], 10)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
estimator.train(lambda: None, hooks=[Weights()])
