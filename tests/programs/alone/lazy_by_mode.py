"""A network whose constructor ends early where it only infers; its properties are built when they are read."""
import functools
import sys

import numpy as np
import tensorflow as tf


def lazy_property(function):
    attribute = "_cache_" + function.__name__

    @property
    @functools.wraps(function)
    def decorator(self):
        if not hasattr(self, attribute):
            setattr(self, attribute, function(self))
        return getattr(self, attribute)

    return decorator


class Regressor(object):

    def __init__(self, mode, width, rate):
        self.mode = mode
        self.x = tf.placeholder(tf.float32, [None, width], name="x")
        self._add_weights(width)
        self.output = tf.squeeze(tf.matmul(self.x, self.w), 1) + self.b
        if mode == "infer":
            self.saver = tf.train.Saver()
            return
        self.y = tf.placeholder(tf.float32, [None], name="y")
        self.global_step = tf.Variable(0, trainable=False, name="global_step")
        self.rate = tf.train.exponential_decay(rate, self.global_step, 5, 0.9)
        self.saver = tf.train.Saver()

    def _add_weights(self, width):
        with tf.variable_scope("plane"):
            self.w = tf.get_variable("w", [width, 1], initializer=tf.constant_initializer(0.2))
            self.b = tf.get_variable("b", [], initializer=tf.zeros_initializer())

    @lazy_property
    def length(self):
        return tf.shape(self.x)[0]

    @lazy_property
    def cost(self):
        squares = tf.reduce_sum(tf.square(self.output - self.y))
        return squares / tf.cast(self.length, tf.float32)

    @lazy_property
    def optimize(self):
        return tf.train.MomentumOptimizer(self.rate, 0.8).minimize(self.cost, global_step=self.global_step)

    @lazy_property
    def never_read(self):
        return tf.get_variable("never_read", [3])

    def step(self, sess, xs, ys):
        feed = {self.x: xs, self.y: ys}
        _, cost = sess.run([self.optimize, self.cost], feed_dict=feed)
        return cost


def main(directory, mode):
    rng = np.random.RandomState(3)
    network = Regressor(mode, 5, 0.05)
    network.optimize
    with tf.Session() as sess, open(directory + "/loss.0", "w") as log:
        sess.run(tf.global_variables_initializer())
        for step in range(9):
            xs = rng.randn(7 + step, 5)
            cost = network.step(sess, xs, xs.sum(1) + 1.0)
            log.write("%d %r\n" % (step, float(cost)))
            if step % 3 == 2:
                log.write("%d %r\n" % (100 + step, float(sess.run(network.length, {network.x: xs}))))
        network.saver.save(sess, directory + "/model", global_step=network.global_step)


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1], "infer" if len(sys.argv) > 2 else "train")
