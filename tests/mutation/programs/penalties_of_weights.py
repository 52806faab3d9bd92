"""A penalty of a layer of contrib, beside one of another layer."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
h = tf.layers.dense(x, 3, kernel_regularizer=tf.nn.l2_loss)
y = tf.contrib.layers.fully_connected(h, 1, weights_regularizer=tf.nn.l2_loss)
total = tf.reduce_mean(tf.square(y)) + tf.losses.get_regularization_loss()
train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0, 3.0]]})
