"""A search among learning rates: a graph in every round, and two sessions for each."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def build(rate, hidden):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    h = tf.layers.dense(x, hidden, activation=tf.nn.tanh,
                        kernel_initializer=tf.constant_initializer(0.1))
    prediction = tf.layers.dense(h, 1, kernel_initializer=tf.constant_initializer(0.2))
    loss = tf.reduce_mean(tf.square(prediction - y))
    train_op = tf.train.AdamOptimizer(rate).minimize(loss)
    return x, y, loss, train_op


def main():
    rs = np.random.RandomState(0)
    data = rs.rand(20, 4).astype(np.float32)
    labels = (data.sum(1) > 2).astype(np.float32)[:, None]
    results = {}
    for rate in (0.1, 0.01):
        for hidden in (3, 5):
            tf.reset_default_graph()
            x, y, loss, train_op = build(rate, hidden)
            saver = tf.train.Saver()
            path = os.path.join(out, "model-%g-%d" % (rate, hidden))
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for i in range(5):
                    _, value = sess.run([train_op, loss], {x: data, y: labels})
                    log.write("%d %r\n" % (i, float(value)))
                saver.save(sess, path)
            with tf.Session() as sess:
                saver.restore(sess, path)
                results[rate, hidden] = sess.run(loss, {x: data, y: labels})
    for rate, hidden in sorted(results):
        log.write("%d %r\n" % (10 + hidden, float(results[rate, hidden])))


main()
log.close()
