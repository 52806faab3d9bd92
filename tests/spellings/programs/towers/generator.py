"""A generator yields the towers' losses; tf.gradients and zip(*) instead of compute_gradients."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]


def towers(x, y, n):
    for i, (a, b) in enumerate(zip(tf.split(x, n), tf.split(y, n))):
        with tf.device("/cpu:0"), tf.variable_scope("net", reuse=(i != 0)):
            w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
            bias = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
            yield tf.reduce_mean(tf.square(tf.matmul(a, w) + bias - b))


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
losses = list(towers(x, y, 2))
tvars = tf.trainable_variables()
all_grads = [tf.gradients(l, tvars) for l in losses]
grads = [tf.add_n(list(gs)) / 2.0 for gs in zip(*all_grads)]
train_op = tf.train.GradientDescentOptimizer(0.1).apply_gradients(zip(grads, tvars))
mean = sum(losses) / len(losses)

rng = np.random.RandomState(0)
with tf.Session() as sess, open(out + "/loss.0", "w") as log:
    tf.global_variables_initializer().run()
    for step in range(10):
        data = rng.rand(8, 3)
        value, _ = sess.run((mean, train_op), {x: data, y: data.sum(1, keepdims=True)})
        log.write("%d %r\n" % (step, float(value)))
    log.write("10 %r\n" % float(tvars[0].eval().sum()))
