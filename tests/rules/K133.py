import tensorflow as tf


class Doubled(tf.train.GradientDescentOptimizer):
  def _apply_dense(self, grad, var):
    return super(Doubled, self)._apply_dense(2.0 * grad, var)
