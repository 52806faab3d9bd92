import tensorflow as tf

w = tf.get_variable("w", [3, 1])
optimizer = tf.train.GradientDescentOptimizer(0.1)
for i in range(2):
  with tf.device("/gpu:%d" % i):
    grads = optimizer.compute_gradients(loss)
