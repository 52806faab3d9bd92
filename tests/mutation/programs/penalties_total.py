"""A penalty that is asked for in one way."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.layers.dense(x, 1, kernel_regularizer=tf.nn.l2_loss)
loss = tf.reduce_mean(tf.square(y - 1.0))
tf.losses.mean_squared_error([[1.0]], y)
total = tf.losses.get_total_loss()
train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0, 3.0]]})
