"""A class wraps the optimizer; its methods make zero, accumulate and apply."""
import sys

import numpy as np
import tensorflow as tf


class AccumulatingOptimizer(object):
    def __init__(self, opt, var_list):
        self.opt = opt
        self.var_list = var_list
        self.accum_vars = {v: tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False)
                           for v in var_list}

    def reset(self):
        return tf.group(*[a.assign(tf.zeros_like(a)) for a in self.accum_vars.values()])

    def accumulate(self, loss):
        grads = self.opt.compute_gradients(loss, self.var_list)
        return tf.group(*[self.accum_vars[v].assign_add(g) for g, v in grads])

    def apply(self):
        return self.opt.apply_gradients([(self.accum_vars[v], v) for v in self.var_list])


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
optimizer = AccumulatingOptimizer(tf.train.MomentumOptimizer(0.05, 0.9), [w, b])
reset, accumulate, apply = optimizer.reset(), optimizer.accumulate(loss), optimizer.apply()
rng = np.random.RandomState(7)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for step in range(5):
    sess.run(reset)
    for _ in range(3):
        data = rng.rand(4, 3)
        value, _ = sess.run([loss, accumulate], {x: data, y: data.sum(1, keepdims=True)})
        log.write("%d %r\n" % (step, float(value)))
    sess.run(apply)
log.write("5 %r\n" % float(sess.run(w).sum()))
log.close()
