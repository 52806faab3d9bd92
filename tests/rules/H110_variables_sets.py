import tensorflow as tf

class Hook(tf.train.SessionRunHook):
  def before_run(self, run_context):
    self.rate.load(0.1, run_context.session)

e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
