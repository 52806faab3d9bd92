"""A penalty beside a layer of contrib, which may have others."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
h = tf.contrib.slim.fully_connected(x, 3)
y = tf.layers.dense(h, 1, kernel_regularizer=tf.nn.l2_loss)
total = tf.reduce_mean(tf.square(y)) + tf.losses.get_regularization_loss()
train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0, 3.0]]})
