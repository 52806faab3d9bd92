import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.layers.dense(x, **layer)
loss = tf.reduce_mean(y)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
  for i in range(3):
    _, value = sess.run([train, loss], feed_dict={x: [[1.0, 2.0, 3.0]]})
