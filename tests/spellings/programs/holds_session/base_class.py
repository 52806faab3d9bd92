"""A base class holds the session and trains; the subclass gives the network by a method."""
import abc
import sys

import numpy as np
import tensorflow as tf


class Base(object):
    def __init__(self, config):
        self.config = config
        self.x = tf.placeholder(tf.float32, [None, config["dims"]])
        self.y = tf.placeholder(tf.float32, [None, 1])
        self.output = self.build()
        self.loss = tf.reduce_mean(tf.square(self.output - self.y))
        optimizer = tf.train.GradientDescentOptimizer(config["lr"])
        self.train_op = optimizer.minimize(self.loss)
        self.sess = tf.InteractiveSession()
        tf.global_variables_initializer().run()

    @abc.abstractmethod
    def build(self):
        raise NotImplementedError

    def step(self, x, y):
        return self.sess.run([self.loss, self.train_op], {self.x: x, self.y: y})[0]


class Linear(Base):
    def build(self):
        self.w = tf.get_variable("w", [self.config["dims"], 1],
                                 initializer=tf.constant_initializer(0.1))
        return tf.tanh(tf.matmul(self.x, self.w))

    def __call__(self, x):
        return self.output.eval({self.x: x})


model = Linear({"dims": 4, "lr": 0.1})
rng = np.random.RandomState(2)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
for step in range(6):
    x = rng.rand(5, 4)
    log.write("%d %r\n" % (step, float(model.step(x, x[:, :1]))))
    log.write("%d %r\n" % (step, float(model(x).sum())))
log.write("6 %r\n" % float(model.w.eval().sum()))
log.close()
