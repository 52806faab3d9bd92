"""A model that keeps the session it is given, and runs its own steps."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


class Model:

    def __init__(self, sess, name):
        self.sess = sess
        self.name = name
        self._build_net()

    def _build_net(self):
        with tf.variable_scope(self.name):
            self.training = tf.placeholder(tf.bool)
            self.X = tf.placeholder(tf.float32, [None, 8])
            self.Y = tf.placeholder(tf.float32, [None, 3])
            '''
            Tensor("Placeholder:0", shape=(?, 8), dtype=float32)
            '''
            init = tf.constant_initializer(
                np.random.RandomState(0).randn(8, 6) * .1)
            hidden = tf.layers.dense(self.X, 6, activation=tf.nn.tanh,
                                     kernel_initializer=init)
            hidden = tf.layers.dropout(hidden, rate=0.0, training=self.training)
            init = tf.constant_initializer(
                np.random.RandomState(1).randn(6, 3) * .1)
            self.logits = tf.layers.dense(hidden, 3, kernel_initializer=init)
        self.cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(
            logits=self.logits, labels=self.Y))
        self.optimizer = tf.train.AdamOptimizer(
            learning_rate=0.01).minimize(self.cost)
        correct_prediction = tf.equal(
            tf.argmax(self.logits, 1), tf.argmax(self.Y, 1))
        self.accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))

    def predict(self, x_test, training=False):
        return self.sess.run(self.logits,
                             feed_dict={self.X: x_test, self.training: training})

    def get_accuracy(self, x_test, y_test, training=False):
        return self.sess.run(self.accuracy,
                             feed_dict={self.X: x_test,
                                        self.Y: y_test, self.training: training})

    def train(self, x_data, y_data, training=True):
        return self.sess.run([self.cost, self.optimizer], feed_dict={
            self.X: x_data, self.Y: y_data, self.training: training})


rs = np.random.RandomState(5)
sess = tf.Session()
m1 = Model(sess, "m1")
sess.run(tf.global_variables_initializer())
for epoch in range(4):
    avg_cost = 0
    for i in range(5):
        batch_xs = rs.rand(10, 8)
        batch_ys = np.eye(3)[batch_xs[:, :3].argmax(1)]
        c, _ = m1.train(batch_xs, batch_ys)
        avg_cost += c / 5
    log.write("%d %r\n" % (epoch, float(avg_cost)))
    print("Accuracy:", m1.get_accuracy(batch_xs, batch_ys))
    log.write("%d %r\n" % (epoch, float(m1.predict(batch_xs[:2]).max())))
log.close()
