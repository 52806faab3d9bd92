"""Each accumulator's own initializer sets it to zero; names, no lists."""
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
sum_w = tf.get_variable("sum_w", [3, 1], initializer=tf.zeros_initializer(), trainable=False)
sum_b = tf.get_variable("sum_b", [1], initializer=tf.zeros_initializer(), trainable=False)
grad_w, grad_b = tf.gradients(loss, [w, b])
accumulate = tf.group(sum_w.assign_add(grad_w), sum_b.assign_add(grad_b))
zero_w, zero_b = sum_w.initializer, sum_b.initializer
train_step = tf.train.MomentumOptimizer(0.05, 0.9).apply_gradients([(sum_w, w), (sum_b, b)])
rng = np.random.RandomState(7)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        sess.run([zero_w, zero_b])
        for _ in range(3):
            data = rng.rand(4, 3)
            value, _ = sess.run([loss, accumulate], {x: data, y: data.sum(1, keepdims=True)})
            log.write("%d %r\n" % (step, float(value)))
        sess.run(train_step)
    log.write("5 %r\n" % float(sess.run(w).sum()))
log.close()
