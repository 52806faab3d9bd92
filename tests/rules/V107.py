import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])

def net(a):
  v = tf.get_variable("v", [a.shape[1], 1])
  return tf.matmul(a, v)

y = net(x * 2)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
