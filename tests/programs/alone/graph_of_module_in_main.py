"""Module-level placeholders and net; main, run by tf.app.run."""
import os
import sys

import numpy as np
import tensorflow as tf

DIRECTORY = sys.argv[1].split("=")[1]
learning_rate = 0.1
rng = np.random.RandomState(3)
train_X = rng.randn(20)
train_Y = train_X * 2 + 1

X = tf.placeholder("float")
Y = tf.placeholder("float")
W = tf.Variable(0.5, name="weight")
b = tf.Variable(rng.randn(), name="bias", dtype=tf.float32)
pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * train_X.shape[0])
# Gradient descent
optimizer = tf.train.GradientDescentOptimizer(learning_rate).minimize(cost)
saver = tf.train.Saver()


def report(log, epoch, value):
    log.write("%d %r\n" % (epoch, float(value)))


def main(_):
    log = open(os.path.join(DIRECTORY, "loss.0"), "w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(6):
            for (x, y) in zip(train_X, train_Y):
                sess.run(optimizer, feed_dict={X: x, Y: y})
            c = sess.run(cost, feed_dict={X: train_X, Y: train_Y})
            report(log, epoch, c)
        report(log, 9, sess.run(W) + sess.run(b))
        saver.save(sess, os.path.join(DIRECTORY, "model"))
    log.close()


if __name__ == "__main__":
    tf.app.run(argv=sys.argv[:1])
