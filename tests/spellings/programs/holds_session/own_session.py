"""The constructor builds the graph and opens the session; methods train and predict."""
import sys

import numpy as np
import tensorflow as tf


class Network(object):
    def __init__(self, learning_rate=0.1):
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.y = tf.placeholder(tf.float32, [None, 1])
        self.w = tf.Variable(tf.fill([4, 1], 0.1))
        self.output = tf.tanh(tf.matmul(self.x, self.w))
        self.loss = tf.reduce_mean(tf.square(self.output - self.y))
        self.train_op = tf.train.GradientDescentOptimizer(learning_rate).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, x, y):
        _, loss = self.sess.run([self.train_op, self.loss], feed_dict={self.x: x, self.y: y})
        return loss

    def predict(self, x):
        return self.sess.run(self.output, feed_dict={self.x: x})

    def weights(self):
        return self.sess.run(self.w)


net = Network()
rng = np.random.RandomState(2)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
for step in range(6):
    x = rng.rand(5, 4)
    log.write("%d %r\n" % (step, float(net.train(x, x[:, :1]))))
    log.write("%d %r\n" % (step, float(net.predict(x).sum())))
log.write("6 %r\n" % float(net.weights().sum()))
log.close()
