"""Towers in one function: lists made in one statement, variables in the loop's body, an average inline."""
import os
import sys

import numpy as np
import tensorflow as tf

directory = sys.argv[1].split("=")[1]
log = open(os.path.join(directory, "loss.0"), "w")
num_gpus = 2
x = tf.placeholder(tf.float32, [None, 5])
y = tf.placeholder(tf.float32, [None, 1])
optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
xs = tf.split(x, num_gpus, 0)
ys = tf.split(y, num_gpus, 0)
tower_grads, losses = [], []
for i in range(num_gpus):
    with tf.device("/gpu:%d" % i):
        with tf.variable_scope("model", reuse=(i > 0)):
            w = tf.get_variable("w", [5, 4], initializer=tf.constant_initializer(0.1))
            b = tf.get_variable("b", [4], initializer=tf.zeros_initializer())
            v = tf.get_variable("v", [4, 1], initializer=tf.constant_initializer(0.3))
            hidden = tf.nn.tanh(tf.matmul(xs[i], w) + b)
            loss = tf.reduce_mean(tf.square(tf.matmul(hidden, v) - ys[i]))
            grads = optimizer.compute_gradients(loss)
            tower_grads.append(grads)
            losses.append(loss)

average_grads = []
for grad_and_vars in zip(*tower_grads):
    grads = [g for g, _ in grad_and_vars]
    average_grads.append((tf.add_n(grads) / num_gpus, grad_and_vars[0][1]))
mean_loss = tf.add_n(losses) / num_gpus
train_op = optimizer.apply_gradients(average_grads)

rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        batch = rng.randn(10, 5)
        _, value = sess.run([train_op, mean_loss], {x: batch, y: batch.sum(1, keepdims=True)})
        log.write("%d %r\n" % (step, float(value)))
log.close()
