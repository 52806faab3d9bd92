"""A Q network and its target: variables by scope, a list of assignments from zip."""
import sys

import numpy as np
import tensorflow as tf


class QNetwork(object):
    def __init__(self, name):
        with tf.variable_scope(name):
            self.s = tf.placeholder(tf.float32, [None, 3])
            self.t = tf.placeholder(tf.float32, [None, 2])
            w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.2))
            b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
            self.q = tf.tanh(tf.matmul(self.s, w)) + b
        self.loss = tf.reduce_mean(tf.square(self.q - self.t))
        self.train = tf.train.GradientDescentOptimizer(0.3).minimize(self.loss)


online, target = QNetwork("online"), QNetwork("target")
online_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="online")
target_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="target")
copy_ops = [t.assign(o) for t, o in zip(target_vars, online_vars)]
rng = np.random.RandomState(4)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(copy_ops)
    for step in range(8):
        s = rng.rand(4, 3)
        goal = 0.5 + 0.9 * sess.run(target.q, {target.s: s})
        loss, _ = sess.run([online.loss, online.train], {online.s: s, online.t: goal})
        log.write("%d %r\n" % (step, float(loss)))
        if step % 3 == 2:
            sess.run(copy_ops)
    log.write("8 %r\n" % float(sum(v.sum() for v in sess.run(target_vars))))
log.close()
