import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.matmul(x, w))
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  told = {}
  for name in ["a", "b"]:
    told[name] = tf.placeholder(tf.float32, [])
    print(sess.run(loss, feed_dict={x: [[1.0, 2.0, 3.0]]}))
