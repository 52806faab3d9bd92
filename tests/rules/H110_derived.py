import tensorflow as tf

class Hook(tf.train.StopAtStepHook):
  def after_run(self, run_context, run_values):
    super(Hook, self).after_run(run_context, run_values)

e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
