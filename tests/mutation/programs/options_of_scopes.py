"""Each option of a variable's scope that the tool refuses, in one program."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
with tf.variable_scope("first", regularizer=tf.contrib.layers.sum_regularizer([])):
    first = tf.get_variable("w", [2, 1])
with tf.variable_scope("second", caching_device="/cpu:0"):
    second = tf.get_variable("w", [2, 1])
with tf.variable_scope("third", custom_getter=tf.identity):
    third = tf.get_variable("w", [2, 1])
with tf.variable_scope("fourth", dtype=tf.float64):
    fourth = tf.get_variable("w", [2, 1])
with tf.variable_scope("fifth", constraint=tf.nn.relu):
    fifth = tf.get_variable("w", [2, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, first + second + third + fifth)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0]]})
