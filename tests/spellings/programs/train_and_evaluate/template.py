"""tf.make_template shares the variables; a lambda adds what only training has."""
import sys

import numpy as np
import tensorflow as tf


def net(x, scale):
    w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.4))
    v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(-0.1))
    return tf.matmul(scale(tf.tanh(tf.matmul(x, w))), v)


shared = tf.make_template("net", net)
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
train_loss = tf.reduce_mean(tf.square(shared(x, scale=lambda h: h * 0.5) - y))
test_loss = tf.reduce_mean(tf.square(shared(x, scale=lambda h: h) - y))
train_op = tf.train.GradientDescentOptimizer(0.2).minimize(train_loss)
rng = np.random.RandomState(5)
with tf.Session() as sess, open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        data = rng.rand(5, 3)
        feed = {x: data, y: data[:, :1]}
        log.write("%d %r\n" % (step, float(sess.run([train_loss, train_op], feed)[0])))
        log.write("%d %r\n" % (step, float(sess.run(test_loss, feed))))
    log.write("6 %r\n" % float(sum(v.sum() for v in sess.run(tf.trainable_variables()))))
