"""A function returns early if there is one tower; the average unpacks two lists by hand."""
import sys

import numpy as np
import tensorflow as tf

N = 2


def model(x, y):
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    return tf.reduce_mean(tf.square(tf.nn.xw_plus_b(x, w, b) - y))


def on_device(index, fn, *args):
    with tf.device("/gpu:" + str(index)):
        with tf.variable_scope("net") as scope:
            if index > 0:
                scope.reuse_variables()
            return fn(*args)


def train_step(x, y, n, opt):
    if n == 1:
        loss = model(x, y)
        return loss, opt.minimize(loss)
    losses = []
    grads = []
    for i in range(n):
        losses.append(on_device(i, model, tf.split(x, n)[i], tf.split(y, n)[i]))
        grads.append(opt.compute_gradients(losses[-1]))
    averaged = []
    for (g0, v0), (g1, _) in zip(*grads):
        averaged.append(((g0 + g1) / 2, v0))
    return tf.add_n(losses) / n, opt.apply_gradients(averaged)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
loss, step_op = train_step(x, y, N, tf.train.GradientDescentOptimizer(0.1))
rng = np.random.RandomState(0)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(10):
        data = rng.rand(8, 3)
        _, value = sess.run([step_op, loss], {x: data, y: data.sum(1, keepdims=True)})
        log.write("%d %r\n" % (step, float(value)))
    log.write("10 %r\n" % float(sess.run("net/w:0").sum()))
log.close()
