import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.matmul(x, w))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
config = tf.ConfigProto(allow_soft_placement=True)
with tf.Session(config=config) as sess:
  for i in range(3):
    _, value = sess.run([train, loss], feed_dict={x: [[1.0, 2.0, 3.0]]})
