"""build_model returns a tuple: loss, update and global step."""
import sys

import numpy as np
import tensorflow as tf


def build_model(x, y):
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=global_step)
    return loss, train_op, global_step


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
loss, train_op, global_step = build_model(x, y)
rng = np.random.RandomState(1)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(8):
        data = rng.rand(6, 3)
        value, _, step = sess.run([loss, train_op, global_step], {x: data, y: data.sum(1, keepdims=True)})
        log.write("%d %r\n" % (i, float(value)))
    for v in tf.trainable_variables():
        log.write("8 %r\n" % float(sess.run(v).sum()))
    log.write("%d %r\n" % (8, float(sess.run(global_step))))
log.close()
