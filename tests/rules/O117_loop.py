import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_mean(y)
optimizer = tf.train.GradientDescentOptimizer(0.1)
for i in range(2):
  grads = optimizer.compute_gradients(loss)
train = optimizer.apply_gradients(grads)
with tf.Session() as sess:
  for i in range(3):
    _, value = sess.run([train, loss], feed_dict={x: [[1.0, 2.0, 3.0]]})
