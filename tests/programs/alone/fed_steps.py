"""Learning rates by a schedule of a step that is fed, and the rate itself among what is run."""
import math
import os
import sys

import numpy as np
import tensorflow as tf


def main(out):
    rng = np.random.RandomState(3)
    xs = rng.rand(40, 4).astype(np.float32)
    ys = (xs > 0.5).sum(1, keepdims=True).astype(np.float32)
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.float32, [None, 1])
    step = tf.placeholder(tf.int32)
    w = tf.Variable(tf.ones([4, 1]) / 10)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))

    # From 0.21 down to 0.01.
    rate = 0.01 + tf.train.exponential_decay(0.2, step, 5, 1 / math.e)
    train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss)
    late = tf.train.piecewise_constant(step, [3, 6], [0.1, 0.05, 0.01])
    slow_op = tf.train.GradientDescentOptimizer(late).minimize(loss)

    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    with open(os.path.join(out, "loss.0"), "w") as log:
        for i in range(10):
            batch = {x: xs[4 * i:4 * i + 4], y: ys[4 * i:4 * i + 4], step: i}
            value, used = sess.run([loss, rate], feed_dict=batch)
            log.write("%d %r\n%d %r\n" % (i, float(value), 100 + i, float(used)))
            sess.run(train_op, feed_dict=batch)
            sess.run(slow_op, feed_dict=batch)
        log.write("10 %r\n" % float(sess.run(loss, {x: xs, y: ys})))
    sess.close()


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
