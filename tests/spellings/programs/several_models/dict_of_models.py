"""A dict comprehension makes the models; the copies are a comprehension over names."""
import sys

import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, name):
        self.s = tf.placeholder(tf.float32, [None, 3])
        self.t = tf.placeholder(tf.float32, [None, 2])
        with tf.variable_scope(name):
            self.variables = {
                "w": tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.2)),
                "b": tf.get_variable("b", [2], initializer=tf.zeros_initializer()),
            }
        self.q = tf.tanh(tf.matmul(self.s, self.variables["w"])) + self.variables["b"]
        self.loss = tf.reduce_mean(tf.square(self.q - self.t))
        self.train = tf.train.GradientDescentOptimizer(0.3).minimize(self.loss)


models = {name: Model(name) for name in ("online", "target")}
online, target = models["online"], models["target"]
sync = [target.variables[k].assign(online.variables[k]) for k in sorted(online.variables)]
rng = np.random.RandomState(4)
with tf.Session() as sess, open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
    sess.run(tf.global_variables_initializer())
    sess.run(sync)
    for step in range(8):
        s = rng.rand(4, 3)
        goal = 0.5 + 0.9 * sess.run(target.q, {target.s: s})
        loss, _ = sess.run([online.loss, online.train], {online.s: s, online.t: goal})
        log.write("%d %r\n" % (step, float(loss)))
        if step % 3 == 2:
            sess.run(sync)
    log.write("8 %r\n" % float(sum(v.sum() for v in sess.run(list(target.variables.values())))))
