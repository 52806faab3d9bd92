import tensorflow as tf

class Hook(tf.train.SessionRunHook):
  def after_create_session(self, session, coord):
    self.start = session.run(self.x)

e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
