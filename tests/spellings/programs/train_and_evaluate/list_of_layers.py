"""A class keeps its layers in a list; both losses are attributes that zip and map make."""
import sys

import numpy as np
import tensorflow as tf


class Net:
    sizes = [3, 2, 1]
    values = [0.4, -0.1]

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = tf.placeholder(tf.float32, [None, 1])
        with tf.variable_scope("net"):
            self.weights = [
                tf.get_variable("w%d" % i, [m, n], initializer=tf.constant_initializer(value))
                for i, (m, n, value) in enumerate(zip(self.sizes, self.sizes[1:], self.values))]
        self.train_loss, self.test_loss = map(self.loss, (True, False))
        self.train_op = tf.train.GradientDescentOptimizer(0.2).minimize(self.train_loss)

    def loss(self, training):
        h = self.x
        for w in self.weights[:-1]:
            h = tf.tanh(tf.matmul(h, w))
            if training:
                h *= 0.5
        return tf.reduce_mean(tf.square(tf.matmul(h, self.weights[-1]) - self.y))


net = Net()
rng = np.random.RandomState(5)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        data = rng.rand(5, 3)
        _, value = sess.run([net.train_op, net.train_loss], {net.x: data, net.y: data[:, :1]})
        log.write("%d %r\n" % (step, float(value)))
        value = sess.run(net.test_loss, {net.x: data, net.y: data[:, :1]})
        log.write("%d %r\n" % (step, float(value)))
    log.write("6 %r\n" % float(sum(sess.run(w).sum() for w in net.weights)))
log.close()
