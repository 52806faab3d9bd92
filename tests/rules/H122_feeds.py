import tensorflow as tf

class Hook(tf.train.SessionRunHook):
  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self.step, feed_dict={self.rate: 0.1})

e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
