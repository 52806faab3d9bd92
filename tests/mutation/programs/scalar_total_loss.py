"""Fetched sums of losses beside a number of Python."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.matmul(x, tf.get_variable("w", [3, 1], initializer=tf.ones_initializer()))
tf.losses.mean_squared_error(y, [[1.0]])
total = tf.losses.get_total_loss()
train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    _, one = sess.run([train, total], {x: [[1.0, 2.0, 3.0]]})
    print(one / 2)
