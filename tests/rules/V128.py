import tensorflow as tf

w = tf.get_variable("w", [3, 1])
y = tf.matmul(x, w)
same = w == y
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
