"""A function returns two expressions; the loop fetches one of them alone."""
import sys

import numpy as np
import tensorflow as tf


def errors(predicted, y):
    return tf.reduce_mean(tf.abs(predicted - y)), tf.reduce_mean(tf.square(predicted - y))


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
step = tf.train.get_or_create_global_step()
absolute, squared = errors(tf.matmul(x, w) + b, y)
train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(squared, global_step=step)
rng = np.random.RandomState(1)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(8):
        data = rng.rand(6, 3)
        feed = {x: data, y: data.sum(1, keepdims=True)}
        log.write("%d %r\n" % (i, float(np.sum(sess.run(squared, feed_dict=feed)))))
        sess.run(train_op, feed_dict=feed)
    for v in (w, b, step):
        log.write("8 %r\n" % float(np.sum(sess.run(v))))
log.close()
