"""A session that reads what no writer has."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
writer = tf.summary.FileWriter("logs")
with tf.train.MonitoredTrainingSession() as sess:
    sess.run(train, {x: [[1.0, 2.0, 3.0]]})
    print(writer.nonsense)
