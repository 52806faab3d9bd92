import tensorflow as tf


def model_fn(features, labels, mode):
  score = tf.layers.dense(features["x"], 1, name="out")
  tf.get_variable_scope().reuse_variables()
  kernel = tf.get_variable("out/kernel", [4, 1])
  loss = tf.losses.mean_squared_error(labels, score) + tf.nn.l2_loss(kernel)
  train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
