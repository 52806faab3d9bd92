import tensorflow as tf

def input_fn():
  x = tf.placeholder(tf.float32)

estimator = tf.estimator.Estimator(model_fn)
