"""AUTO_REUSE in a closure; an outer function returns the training and the evaluation step."""
import sys

import numpy as np
import tensorflow as tf


def make_steps(sess, lr):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])

    def loss(keep):
        with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
            w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.4))
            v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(-0.1))
        return tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, w)) * keep, v) - y))

    train_loss, test_loss = loss(0.5), loss(1.0)
    train_op = tf.train.GradientDescentOptimizer(lr).minimize(train_loss)

    def train(xs, ys):
        return float(sess.run([train_loss, train_op], {x: xs, y: ys})[0])

    def test(xs, ys):
        return float(sess.run(test_loss, {x: xs, y: ys}))

    return train, test


def main(log):
    rng = np.random.RandomState(5)
    with tf.Session() as sess:
        train, test = make_steps(sess, 0.2)
        sess.run(tf.global_variables_initializer())
        for step in range(6):
            data = rng.rand(5, 3)
            log.write("%d %r\n" % (step, train(data, data[:, :1])))
            log.write("%d %r\n" % (step, test(data, data[:, :1])))
        log.write("6 %r\n" % float(sum(v.sum() for v in sess.run(tf.trainable_variables()))))


if __name__ == "__main__":
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    main(log)
    log.close()
