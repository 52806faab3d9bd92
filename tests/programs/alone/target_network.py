"""A network that follows another: lists of variables by scope, made after both objects."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


class Network(object):

    def __init__(self, sess, scope):
        self.sess = sess
        self.states = tf.placeholder(tf.float32, [None, 2])
        self.goal = tf.placeholder(tf.float32, [None, 1])
        with tf.variable_scope(scope):
            w = tf.get_variable("w", [2, 3], initializer=tf.constant_initializer(0.3))
            v = tf.get_variable("v", [3, 1], initializer=tf.constant_initializer(-0.2))
            self.values = tf.matmul(tf.tanh(tf.matmul(self.states, w)), v)
        self.loss = tf.reduce_mean(tf.square(self.values - self.goal))
        self.train = tf.train.RMSPropOptimizer(0.05).minimize(self.loss)

    def learn(self, states, goal):
        loss, _ = self.sess.run([self.loss, self.train],
                                feed_dict={self.states: states, self.goal: goal})
        return loss


draws = np.random.RandomState(2)
with tf.Session() as sess:
    learning = Network(sess, "learning")
    target = Network(sess, "target")
    follow = [old.assign(0.5 * new + 0.5 * old)
              for new, old in zip(tf.trainable_variables("learning"), tf.trainable_variables("target"))]
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        states = draws.rand(5, 2)
        goal = sess.run(target.values, feed_dict={target.states: states}) * 0.9 + 0.1
        log.write("%d %r\n" % (step, float(learning.learn(states, goal))))
        sess.run(follow)
        log.write("%d %r\n" % (step, float(goal.mean())))
log.close()
