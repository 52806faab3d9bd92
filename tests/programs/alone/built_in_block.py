"""Graph and session opened in one statement, the graph built in its block."""
import sys

import numpy as np
import tensorflow as tf
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


def net(x):
    w = tf.get_variable("w", [5, 1], initializer=tf.zeros_initializer())
    return tf.matmul(x, w)


with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.placeholder(tf.float32, [None, 5])
    y = tf.placeholder(tf.float32, [None, 1])
    out = net(x)
    with tf.name_scope("loss"):
        loss = tf.reduce_mean(tf.square(out - y))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)
    for i in range(10):
        xs = rng.randn(4, 5)
        _, l = sess.run([train, loss], {x: xs, y: xs[:, :1]})
        log.write("%d %r\n" % (i, float(l)))
log.close()
