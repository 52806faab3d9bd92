"""A default value that asks for the directory, which changes."""

# ruff: noqa: B008

import os

import tensorflow as tf


def read(here=os.getcwd()):
    data = tf.data.Dataset.from_tensors(tf.constant([1.0, 2.0, 3.0]) * len(here))
    return data.repeat().make_one_shot_iterator().get_next()


os.fchdir(0)
x = read()
w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(x * w - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss]))
