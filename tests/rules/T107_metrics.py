import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
labels = tf.placeholder(tf.int64, [None])
w = tf.Variable(tf.zeros([3, 2]))
logits = tf.matmul(x, w)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
accuracy, update = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
with tf.Session() as sess:
  sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
  for i in range(3):
    sess.run([train, update], feed_dict={x: [[1.0, 2.0, 3.0]], labels: [i % 2]})
    print(sess.run(accuracy))
