import tensorflow as tf

class Hook(tf.train.CheckpointSaverHook):
  def after_create_session(self, session, coord):
    super(Hook, self).after_create_session(session, coord)

e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
