"""Comprehensions make the accumulators, zero_ops and accum_ops, at module level."""
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
opt = tf.train.MomentumOptimizer(0.05, 0.9)
tvs = tf.trainable_variables()
accum_vars = [tf.Variable(tf.zeros_like(tv.initialized_value()), trainable=False) for tv in tvs]
zero_ops = [tv.assign(tf.zeros_like(tv)) for tv in accum_vars]
gvs = opt.compute_gradients(loss, tvs)
accum_ops = [accum_vars[i].assign_add(gv[0]) for i, gv in enumerate(gvs)]
train_step = opt.apply_gradients([(accum_vars[i], gv[1]) for i, gv in enumerate(gvs)])
rng = np.random.RandomState(7)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        sess.run(zero_ops)
        for _ in range(3):
            data = rng.rand(4, 3)
            value, _ = sess.run([loss, accum_ops], {x: data, y: data.sum(1, keepdims=True)})
            log.write("%d %r\n" % (step, float(value)))
        sess.run(train_step)
    log.write("5 %r\n" % float(sess.run(w).sum()))
log.close()
