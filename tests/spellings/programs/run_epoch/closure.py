"""run_epoch is a closure that an outer function makes: one to train, one to evaluate."""
import sys

import numpy as np
import tensorflow as tf


def make_run_epoch(session, x, fetches):
    def run_epoch(batches):
        total = 0.0
        for batch in batches:
            total += float(session.run(fetches, feed_dict={x: batch})[0])
        return total / len(batches)
    return run_epoch


def main():
    draws = np.random.RandomState(3)
    data = [draws.rand(4, 3) for _ in range(5)]
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
    cost = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1))
    train_op = tf.train.GradientDescentOptimizer(0.2).minimize(cost)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    train_epoch = make_run_epoch(sess, x, [cost, train_op])
    valid_epoch = make_run_epoch(sess, x, [cost])
    with open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
        for epoch in range(3):
            log.write("%d %r\n" % (epoch, train_epoch(data[:3])))
            log.write("%d %r\n" % (epoch, valid_epoch(data[3:])))
        log.write("3 %r\n" % float(sess.run(w).sum()))
    sess.close()


main()
