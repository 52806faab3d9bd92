"""A penalty in a branch that holds the whole program."""

import sys

import tensorflow as tf

if len(sys.argv) > 1:
    x = tf.placeholder(tf.float32, [None, 3])
    step = tf.train.get_or_create_global_step()
    y = tf.layers.dense(x, 1, kernel_regularizer=tf.nn.l2_loss)
    total = tf.reduce_mean(tf.square(y - 1.0)) + tf.losses.get_regularization_loss()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(total, step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train, {x: [[1.0, 2.0, 3.0]]})
