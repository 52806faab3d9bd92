import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
for i in range(2):
  q = tf.constant([1.0, 2.0, 3.0], name="q")
w = tf.Variable(tf.zeros([3]), name="q")
loss = tf.reduce_mean(tf.square(x * w - q))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  sess.run(train_op, {x: [[1.0, 2.0, 3.0]]})
