"""One network copied into another by the places of their variables in lists.

A run needs the second layer alone: TensorFlow 2 would make its variables first.
"""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
draws = np.random.RandomState(2)
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 3])


def net(scope):
    with tf.variable_scope(scope):
        a = tf.layers.dense(x, 3, name="a", kernel_initializer=tf.constant_initializer(0.3))
        b = tf.layers.dense(x, 3, name="b", kernel_initializer=tf.constant_initializer(-0.2))
    return a, b


a1, b1 = net("first")
a2, b2 = net("second")
loss2 = tf.reduce_mean(tf.square(a2 * b2 - y))
train2 = tf.train.GradientDescentOptimizer(0.1).minimize(loss2)
loss1 = tf.reduce_mean(tf.square(a1 * b1 - y))
train1 = tf.train.GradientDescentOptimizer(0.1).minimize(loss1)
copy = [tf.assign(new, old) for new, old in zip(
    tf.trainable_variables("second"), tf.trainable_variables("first"))]
total = tf.reduce_sum(a2 + 2 * b2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(copy)
    log.write("0 %r\n" % float(sess.run(b1, {x: np.ones((1, 3))}).sum()))
    for i in range(5):
        d = {x: draws.rand(4, 3), y: draws.rand(4, 3)}
        log.write("%d %r\n" % (i, float(sess.run([loss1, train1], d)[0])))
        log.write("%d %r\n" % (i, float(sess.run([loss2, train2], d)[0])))
        sess.run(copy)
        log.write("%d %r\n" % (i, float(sess.run(total, d))))
log.close()
