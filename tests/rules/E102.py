import tensorflow as tf
def serving_input_fn():
  x = tf.placeholder(tf.float32, [None, 2])
  return tf.estimator.export.ServingInputReceiver(x, x)
