"""One name for the variables of two loops, with and without a scope, and of what follows."""
import argparse
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--dir")
FLAGS, _ = parser.parse_known_args()

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 4])
net = x
for i in range(2):
    w = tf.Variable(tf.fill([4, 4], 0.1 + 0.05 * i), name="w%d" % i)
    net = tf.tanh(tf.matmul(net, w))
for i, size in enumerate([4, 4, 4]):
    with tf.variable_scope("layer%d" % i):
        start = 0.2 - 0.1 * i
        w = tf.get_variable("w", [size, 4], initializer=tf.constant_initializer(start))
        b = tf.get_variable("b", [4], initializer=tf.zeros_initializer())
        net = tf.tanh(tf.matmul(net, w) + b)
w = tf.Variable(tf.fill([4, 4], 0.3), name="last")
loss = tf.reduce_mean(tf.square(tf.matmul(net, w) - y))
train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
saver = tf.train.Saver()

rng = np.random.RandomState(4)
log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(10):
        xs = rng.rand(10, 4)
        _, value = sess.run([train_op, loss], {x: xs, y: xs[:, ::-1]})
        log.write("%d %r\n" % (step, float(value)))
    path = saver.save(sess, os.path.join(FLAGS.dir, "model"))
named = sorted(name for name, _ in tf.train.list_variables(path))
log.write("%d %r\n" % (len(named), float(sum(map(len, named)))))
log.close()
