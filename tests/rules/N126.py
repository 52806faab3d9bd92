import tensorflow as tf

w = tf.get_variable("w", [3, 1])
optimizer = tf.train.GradientDescentOptimizer(0.1)
for i in range(2):
  grads = optimizer.compute_gradients(loss)
