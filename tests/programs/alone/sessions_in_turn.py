"""Sessions one after the other: begun anew in a loop, saved by one, restored by another."""
import argparse
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--dir")
args = parser.parse_args()
log = open(os.path.join(args.dir, "loss.0"), "w")

x = tf.placeholder(tf.float32, [None, 5])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(tf.fill([5, 1], 0.3), name="w")
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
saver = tf.train.Saver()
rng = np.random.RandomState(0)



# Three folds, each from the same start.
with tf.Session() as sess:
    for fold in range(3):
        sess.run(tf.global_variables_initializer())
        for step in range(4):
            xs = rng.randn(10, 5)
            _, value = sess.run([train_op, loss], {x: xs, y: xs.sum(1, keepdims=True)})
            log.write("%d %r\n" % (fold, float(value)))
    path = saver.save(sess, os.path.join(args.dir, "folds"))

with tf.Session() as sess:
    saver.restore(sess, path)
    for step in range(4):
        xs = rng.randn(10, 5)
        _, value = sess.run([train_op, loss], {x: xs, y: xs.sum(1, keepdims=True)})
        log.write("4 %r\n" % float(value))

# A last one, without what the others have learned.
with tf.Session() as last:
    last.run(tf.global_variables_initializer())
    xs = rng.randn(10, 5)
    log.write("5 %r\n" % float(last.run(loss, {x: xs, y: xs.sum(1, keepdims=True)})))
log.close()
