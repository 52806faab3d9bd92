"""A session within the block of the log's file, where the graph is built and a trainer made."""
import sys

import numpy as np
import tensorflow as tf


class Model(object):

    def __init__(self, rate):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - self.y))
        self.train_op = tf.train.AdamOptimizer(rate).minimize(self.loss)


class Trainer(object):

    def __init__(self, sess, model, log):
        self.sess, self.model, self.log = sess, model, log

    def fit(self, points, sums):
        for step in range(10):
            rows = slice(step, step + 8)
            _, value = self.sess.run(
                [self.model.train_op, self.model.loss],
                {self.model.x: points[rows], self.model.y: sums[rows]})
            self.log.write("%d %r\n" % (step, float(value)))


rng = np.random.RandomState(5)
points = rng.rand(20, 3)
sums = points.sum(1, keepdims=True)
with open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
    model = Model(0.05)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        Trainer(sess, model, log).fit(points, sums)
