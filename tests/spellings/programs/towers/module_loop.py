"""A loop at module level, and the average by a function with loops, as in the CIFAR-10 tutorial."""
import os
import sys

import numpy as np
import tensorflow as tf


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            grads.append(tf.expand_dims(g, 0))
        grad = tf.reduce_mean(tf.concat(axis=0, values=grads), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


out = sys.argv[1].split("=")[1]
log = open(os.path.join(out, "loss.0"), "w")
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
xs, ys = tf.split(x, 2), tf.split(y, 2)
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads, losses = [], []
for i in range(2):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        with tf.variable_scope("net", reuse=i > 0):
            w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
            b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(xs[i], w) + b - ys[i]))
        tower_grads.append(opt.compute_gradients(loss))
        losses.append(loss)
train_op = opt.apply_gradients(average_gradients(tower_grads))
total = tf.add_n(losses) / 2
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(10):
        data = rng.rand(8, 3)
        value, _ = sess.run([total, train_op], {x: data, y: data.sum(1, keepdims=True)})
        log.write("%d %r\n" % (step, float(value)))
    log.write("10 %r\n" % float(sess.run(w).sum()))
log.close()
