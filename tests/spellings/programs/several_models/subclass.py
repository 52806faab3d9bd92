"""The target is a subclass with a method that copies; super() builds the network."""
import sys

import numpy as np
import tensorflow as tf


class Network(object):
    def __init__(self, name):
        self.name = name
        self.inputs = tf.placeholder(tf.float32, [None, 3])
        with tf.variable_scope(name) as vs:
            w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.2))
            b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
            self.q = tf.tanh(tf.matmul(self.inputs, w)) + b
            self.vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=vs.name)


class Learner(Network):
    def __init__(self, name, lr):
        super(Learner, self).__init__(name)
        self.goal = tf.placeholder(tf.float32, [None, 2])
        self.loss = tf.reduce_mean(tf.square(self.q - self.goal))
        self.train = tf.train.GradientDescentOptimizer(lr).minimize(self.loss, var_list=self.vars)


class Target(Network):
    def __init__(self, name, source):
        super(Target, self).__init__(name)
        self.sync_op = tf.group(*[mine.assign(other) for mine, other in zip(self.vars, source.vars)])

    def sync(self, sess):
        sess.run(self.sync_op)


learner = Learner("learner", 0.3)
target = Target("target", learner)
rng = np.random.RandomState(4)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    target.sync(sess)
    for step in range(8):
        s = rng.rand(4, 3)
        goal = 0.5 + 0.9 * sess.run(target.q, {target.inputs: s})
        loss, _ = sess.run([learner.loss, learner.train], {learner.inputs: s, learner.goal: goal})
        log.write("%d %r\n" % (step, float(loss)))
        if step % 3 == 2:
            target.sync(sess)
    log.write("8 %r\n" % float(sum(v.sum() for v in sess.run(target.vars))))
log.close()
