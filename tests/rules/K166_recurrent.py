import tensorflow as tf


def model_fn(features, labels, mode):
  out = tf.keras.layers.GRU(1)(features["x"])
  loss = tf.losses.mean_squared_error(labels, out)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
