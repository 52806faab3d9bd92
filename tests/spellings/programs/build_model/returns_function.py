"""build_model returns a function that runs a step: a closure over placeholders and session."""
import sys

import numpy as np
import tensorflow as tf


def build_model(sess):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=step)
    sess.run(tf.global_variables_initializer())

    def train(xs, ys):
        value, _ = sess.run([loss, train_op], {x: xs, y: ys})
        return float(value)

    def read():
        return [float(np.sum(v)) for v in sess.run([w, b, step])]

    return train, read


sess = tf.Session()
train, read = build_model(sess)
rng = np.random.RandomState(1)
with open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
    for i in range(8):
        data = rng.rand(6, 3)
        log.write("%d %r\n" % (i, train(data, data.sum(1, keepdims=True))))
    for value in read():
        log.write("8 %r\n" % value)
sess.close()
