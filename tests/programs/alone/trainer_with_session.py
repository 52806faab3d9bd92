"""A trainer class that keeps its session: built in methods, stepped, judged and saved by others."""
import os
import sys

import numpy as np
import tensorflow as tf


class Trainer(object):
    """Fits a plane."""

    def __init__(self, rate, directory):
        self.rate = rate
        self.directory = directory
        self.x = tf.placeholder(tf.float32, [None, 5], name="x")
        self.y = tf.placeholder(tf.float32, [None, 1], name="y")
        self._build_network()
        self._build_training()
        self.saver = tf.train.Saver()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def _build_network(self):
        with tf.variable_scope("plane"):
            w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.1))
            b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
            self.out = tf.matmul(self.x, w) + b

    def _build_training(self):
        self.loss = tf.reduce_mean(tf.square(self.out - self.y))
        self.train_op = tf.train.AdamOptimizer(self.rate).minimize(self.loss)

    def fit(self, xs, ys):
        _, value = self.sess.run([self.train_op, self.loss], {self.x: xs, self.y: ys})
        return value

    def judge(self, xs, ys):
        return self.sess.run(self.loss, feed_dict={self.x: xs, self.y: ys})

    def save(self, step):
        self.saver.save(self.sess, os.path.join(self.directory, "model"), global_step=step)


def main(directory):
    log = open(directory + "/loss.0", "w")
    rng = np.random.RandomState(0)
    trainer = Trainer(0.05, directory)
    for step in range(12):
        xs = rng.randn(10, 5)
        ys = xs.sum(1, keepdims=True)
        log.write("%d %r\n" % (step, float(trainer.fit(xs, ys))))
        if step % 4 == 3:
            log.write("%d %r\n" % (step, float(trainer.judge(xs, ys))))
            trainer.save(step)
    log.close()


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
