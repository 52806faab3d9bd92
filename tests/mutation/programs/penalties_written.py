"""Penalties of every kind, asked for as a list."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.layers.dense(
    x,
    3,
    kernel_regularizer=tf.contrib.layers.l2_regularizer(scale=0.1),
    bias_regularizer=tf.contrib.layers.l1_regularizer(scale=0.1),
)
a = tf.get_variable("a", [3], regularizer=tf.contrib.slim.l2_regularizer(scale=0.1))
b = tf.get_variable("b", [3], regularizer=tf.contrib.slim.l1_regularizer(scale=0.1))
c = tf.get_variable("c", [3], regularizer=tf.keras.regularizers.l2(l=0.1))
d = tf.get_variable("d", [3], regularizer=tf.keras.regularizers.l1(l=0.1))
e = tf.get_variable("e", [3], regularizer=tf.nn.l2_loss)
loss = tf.reduce_mean(y * (a + b + c + d + e))
total = loss + sum(tf.losses.get_regularization_losses())
train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0, 3.0]]})
