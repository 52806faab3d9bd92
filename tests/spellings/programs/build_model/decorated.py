"""A decorator opens the scope; the update is a tf.group that returns early without decay."""
import functools
import sys

import numpy as np
import tensorflow as tf


def scoped(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with tf.variable_scope(function.__name__):
            return function(*args, **kwargs)
    return wrapper


@scoped
def predict(x):
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def build_update(loss, step, decay=None):
    update = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=step)
    if decay is None:
        return tf.group(update)
    averages = tf.train.ExponentialMovingAverage(decay, step)
    with tf.control_dependencies([update]):
        return tf.group(averages.apply(tf.trainable_variables()))


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
loss = tf.losses.mean_squared_error(y, predict(x))
step = tf.train.get_or_create_global_step()
train_op = build_update(loss, step)
rng = np.random.RandomState(1)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(8):
        data = rng.rand(6, 3)
        _, value = sess.run([train_op, loss], {x: data, y: data.sum(1, keepdims=True)})
        log.write("%d %r\n" % (i, float(value)))
    for total in sess.run([tf.reduce_sum(v) for v in tf.trainable_variables()]):
        log.write("8 %r\n" % float(total))
    log.write("8 %r\n" % float(sess.run(step)))
log.close()
