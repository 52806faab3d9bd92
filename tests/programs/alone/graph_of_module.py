"""A module-level graph, opened by tf.Session(graph=g)."""
import os
import sys

import numpy as np
import tensorflow as tf

g = tf.Graph()

with g.as_default():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w = tf.Variable(tf.fill([4, 1], 0.2), name="w")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    init = tf.global_variables_initializer()


def main(out):
    rng = np.random.RandomState(0)
    with tf.Session(graph=g) as sess:
        sess.run(init)
        with open(os.path.join(out, "loss.0"), "w") as log:
            for i in range(6):
                xs = rng.randn(8, 4)
                _, value = sess.run([train_op, loss], {x: xs, y: xs.sum(1, keepdims=True)})
                log.write("%d %r\n" % (i, float(value)))
            log.write("%d %r\n" % (9, float(sess.run(w).sum())))


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
