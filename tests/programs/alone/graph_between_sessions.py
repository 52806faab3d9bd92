"""Sessions one after the other, with more graph built between them."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
a = tf.constant(2)
b = tf.constant(3)
with tf.Session() as sess:
    log.write("0 %r\n" % float(sess.run(a + b)))
a = tf.placeholder(tf.int16)
b = tf.placeholder(tf.int16)
add = tf.add(a, b)
with tf.Session() as sess:
    log.write("1 %r\n" % float(sess.run(add, feed_dict={a: 2, b: 3})))
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([[.5], [.25]])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.))
train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
init = tf.global_variables_initializer()
rs = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(init)
    for i in range(4):
        xs = rs.rand(5, 2)
        sess.run(train, {x: xs})
        log.write("%d %r\n" % (2 + i, float(sess.run(loss, {x: xs}))))
    mean_error = tf.reduce_mean(tf.abs(tf.matmul(x, w) - 1.))
    log.write("6 %r\n" % float(mean_error.eval({x: xs})))
print("again")
with tf.Session() as sess:
    sess.run(init)
    mean_error = tf.reduce_mean(tf.abs(tf.matmul(x, w) - 1.))
    log.write("7 %r\n" % float(mean_error.eval({x: xs})))
log.close()
