"""One function that trains in a branch and tests in the other, on placeholders of both."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def network(x, is_training):
    h = tf.layers.dense(x, 4, activation=tf.nn.relu, name="h",
                        kernel_initializer=tf.constant_initializer(
                            np.linspace(-1, 1, 16).reshape(4, 4)))
    if is_training:
        h = 1.5 * h
    return tf.layers.dense(h, 1, name="out",
                           kernel_initializer=tf.constant_initializer(0.4))


def main(training):
    tf.reset_default_graph()
    data = np.random.RandomState(0).rand(20, 4).astype(np.float32)
    labels = data.sum(1, keepdims=True) / 2
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    path = os.path.join(out, "branches.ckpt")
    if training:
        loss = tf.reduce_mean(tf.square(network(x, True) - y))
        train_op = tf.train.RMSPropOptimizer(0.01).minimize(loss)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(6):
                _, value = sess.run([train_op, loss], feed_dict={x: data, y: labels})
                log.write("%d %r\n" % (i, float(value)))
            saver.save(sess, path)
    else:
        error = tf.abs(network(x, False) - y)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            saver.restore(sess, path)
            for value in sess.run(error, feed_dict={x: data, y: labels}):
                log.write("10 %r\n" % float(value[0]))


main(True)
main(False)
log.close()
