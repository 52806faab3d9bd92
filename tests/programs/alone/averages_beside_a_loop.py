"""Moving averages of losses that a loop of the graph computes, beside their updates."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
x = tf.placeholder(tf.float32, [None, 4, 2])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.3))
rows = tf.transpose(x, [1, 0, 2])


def add_row(i, total):
    return i + 1, 0.5 * total + tf.tanh(tf.matmul(rows[i], w))


def add_more(i, total):
    return i + 1, 0.5 * total + tf.matmul(rows[i], w)


start = tf.zeros_like(y)
_, state = tf.while_loop(lambda i, total: i < 4, add_row, [0, start])
_, other = tf.while_loop(lambda i, total: i < 4, add_more, [0, start])
loss = tf.reduce_mean(tf.square(state - y), name="loss")
bound = tf.reduce_mean(tf.square(other), name="bound")
averages = tf.train.ExponentialMovingAverage(0.9, name="avg")
with tf.control_dependencies([averages.apply([loss, bound])]):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
shown = [averages.average(loss), averages.average(bound)]
draws = np.random.RandomState(3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        feed = {x: draws.rand(3, 4, 2), y: draws.rand(3, 1)}
        sess.run([train, loss], feed)
        for part, value in enumerate(sess.run(shown, feed)):
            log.write("%d %r\n" % (10 * step + part, float(value)))
log.close()
