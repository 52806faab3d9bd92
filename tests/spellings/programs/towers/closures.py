"""A closure builds each tower on the CPU; a dict of lists collects gradients by variable."""
import collections
import sys

import numpy as np
import tensorflow as tf


def make_parallel(fn, num, **kwargs):
    split = {k: tf.split(v, num) for k, v in kwargs.items()}
    results = []
    for i in range(num):
        with tf.device("/cpu:0"):
            with tf.variable_scope("shared", reuse=i > 0):
                results.append(fn(**{k: v[i] for k, v in split.items()}))
    return results


def run(log):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    opt = tf.train.GradientDescentOptimizer(0.1)
    by_variable = collections.OrderedDict()

    def tower(x, y):
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        for g, v in opt.compute_gradients(loss, [w, b]):
            by_variable.setdefault(v, []).append(g)
        return loss

    loss = tf.reduce_mean(tf.stack(make_parallel(tower, 2, x=x, y=y)))
    train = opt.apply_gradients([(tf.add_n(gs) / len(gs), v) for v, gs in by_variable.items()])
    rng = np.random.RandomState(0)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    for step in range(10):
        data = rng.rand(8, 3)
        _, value = sess.run([train, loss], {x: data, y: data.sum(1, keepdims=True)})
        log.write("%d %r\n" % (step, float(value)))
    log.write("10 %r\n" % float(sess.run(tf.trainable_variables()[0]).sum()))
    sess.close()


log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
run(log)
log.close()
