"""Graph is added while the session is open, by operators, too; two sections share names."""
import argparse
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--dir")
args = parser.parse_args()
log = open(os.path.join(args.dir, "loss.0"), "w")
points = np.linspace(-1.0, 1.0, 24, dtype=np.float32).reshape(12, 2)

sess = tf.Session()
a = tf.placeholder(tf.float32)
b = tf.placeholder(tf.float32)
total = a + b
log.write("0 %r\n" % float(sess.run(total, {a: 3, b: 4.5})))
triple = -total * 3.0
log.write("1 %r\n" % float(triple.eval({a: 3, b: 4.5}, session=sess)))
sess.close()

W = tf.Variable(tf.ones([2, 1]))
x = tf.placeholder(tf.float32, [None, 2])
h = tf.matmul(x, W)
cost = tf.reduce_mean(tf.square(h - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        log.write("2 %r\n" % float(sess.run([train, cost], {x: points})[1]))

# The same once more, on another slope.
W = tf.Variable(tf.ones([2, 1]))
x = tf.placeholder("float", [None, 2])
h = tf.matmul(x, W)
cost = tf.reduce_mean(tf.square(h - 2.0))
train = tf.train.GradientDescentOptimizer(0.2).minimize(cost)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        log.write("3 %r\n" % float(sess.run([train, cost], {x: points})[1]))
log.close()
