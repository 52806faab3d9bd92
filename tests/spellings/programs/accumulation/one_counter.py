"""One loop over small batches; `i % 3` says when to apply and when to set to zero."""
import sys

import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, lr):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = tf.placeholder(tf.float32, [None, 1])
        self.w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
        self.b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) + self.b - self.y))
        opt = tf.train.MomentumOptimizer(lr, 0.9)
        variables = [self.w, self.b]
        sums = [tf.Variable(np.zeros(v.shape.as_list(), np.float32), trainable=False) for v in variables]
        gradients = opt.compute_gradients(self.loss, variables)
        self.accumulate = [s.assign_add(g) for s, (g, _) in zip(sums, gradients)]
        self.zero = [s.assign(tf.zeros_like(s)) for s in sums]
        self.apply = opt.apply_gradients(list(zip(sums, variables)))


model = Model(0.05)
rng = np.random.RandomState(7)
with tf.Session() as sess, open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
    sess.run(tf.global_variables_initializer())
    for i in range(15):
        if i % 3 == 0:
            sess.run(model.zero)
        data = rng.rand(4, 3)
        feed = {model.x: data, model.y: data.sum(1, keepdims=True)}
        value, _ = sess.run([model.loss, model.accumulate], feed_dict=feed)
        log.write("%d %r\n" % (i // 3, float(value)))
        if i % 3 == 2:
            sess.run(model.apply)
    log.write("5 %r\n" % float(sess.run(model.w).sum()))
