import tensorflow as tf

class Hook(tf.train.SessionRunHook):
  def begin(self):
    self.count = self.variable.assign_add(1)

e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
