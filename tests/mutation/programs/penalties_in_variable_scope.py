"""A penalty in a scope that shares variables."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope("n"):
    w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
with tf.variable_scope("n", reuse=True):
    v = tf.get_variable("w", [3, 1], regularizer=tf.nn.l2_loss)
    y = tf.matmul(x, v + w)
total = tf.reduce_mean(tf.square(y)) + tf.losses.get_regularization_loss()
train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0, 3.0]]})
