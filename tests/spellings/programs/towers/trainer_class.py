"""A trainer class: towers in a method, the average by map and a lambda, argparse."""
import argparse
import os

import numpy as np
import tensorflow as tf


class Trainer(object):
    def __init__(self, num_gpus, lr):
        self.num_gpus = num_gpus
        self.x = tf.placeholder(tf.float32, [None, 3], name="x")
        self.y = tf.placeholder(tf.float32, [None, 1], name="y")
        self.optimizer = tf.train.GradientDescentOptimizer(lr)
        self._build()

    def _tower(self, x, y):
        self.w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        self.b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        return tf.reduce_mean(tf.square(tf.matmul(x, self.w) + self.b - y))

    def _build(self):
        self.losses = []
        grads = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i, (x, y) in enumerate(zip(tf.split(self.x, self.num_gpus), tf.split(self.y, self.num_gpus))):
                with tf.device("/gpu:%d" % i):
                    loss = self._tower(x, y)
                    tf.get_variable_scope().reuse_variables()
                    self.losses.append(loss)
                    grads.append(self.optimizer.compute_gradients(loss))
        self.loss = tf.reduce_mean(tf.stack(self.losses))
        mean = list(map(lambda gv: (tf.reduce_mean(tf.stack([g for g, _ in gv]), 0), gv[0][1]), zip(*grads)))
        self.train_op = self.optimizer.apply_gradients(mean)

    def train(self, steps, log):
        rng = np.random.RandomState(0)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(steps):
                data = rng.rand(8, 3)
                feed = {self.x: data, self.y: data.sum(1, keepdims=True)}
                _, value = sess.run([self.train_op, self.loss], feed_dict=feed)
                log.write("%d %r\n" % (step, float(value)))
            log.write("%d %r\n" % (steps, float(sess.run(self.w).sum())))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    parser.add_argument("--gpus", type=int, default=2)
    args = parser.parse_args()
    with open(os.path.join(args.dir, "loss.0"), "w") as f:
        Trainer(args.gpus, lr=0.1).train(10, f)
