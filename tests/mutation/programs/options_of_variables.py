"""Each option of a variable that the tool refuses, in one program."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
first = tf.get_variable(
    "first", [2, 1], regularizer=tf.contrib.layers.sum_regularizer([])
)
second = tf.get_variable("second", [2, 1], caching_device="/cpu:0")
third = tf.get_variable("third", [2, 1], custom_getter=tf.identity)
fourth = tf.get_variable("fourth", [2, 1], constraint=tf.nn.relu)
fifth = tf.get_variable("fifth", [2, 1], collections=["own"])
loss = tf.reduce_mean(tf.square(tf.matmul(x, first + second + third + fourth + fifth)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0]]})
