import tensorflow as tf


def model_fn(features, labels, mode):
  image = tf.keras.Input(tensor=features["x"])
  model = tf.keras.Model(image, tf.keras.layers.Dense(1)(image))
  loss = tf.losses.mean_squared_error(labels, model.output)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
