"""A function of the program makes an iterator that the session begins, another takes its element."""

import tensorflow as tf


def make(dataset):
    return dataset.make_initializable_iterator()


def take(iterator):
    return iterator.get_next()


iterator = make(tf.data.Dataset.from_tensors([[1.0]]).repeat())
x = take(iterator)
w = tf.get_variable("w", [1, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(iterator.initializer)
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op)
