"""The network is in a module beside; a decorator there opens the scope with reuse."""
import os

import numpy as np
import tensorflow as tf

import shared_network

tf.app.flags.DEFINE_string("dir", "", "Where the log goes.")
tf.app.flags.DEFINE_float("lr", 0.2, "The learning rate.")
FLAGS = tf.app.flags.FLAGS


def main(_):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    train_loss = tf.reduce_mean(tf.square(shared_network.network(x, is_training=True) - y))
    test_loss = tf.reduce_mean(tf.square(shared_network.network(x, is_training=False) - y))
    train_op = tf.train.GradientDescentOptimizer(FLAGS.lr).minimize(train_loss)
    rng = np.random.RandomState(5)
    log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(6):
            data = rng.rand(5, 3)
            feed = {x: data, y: data[:, :1]}
            value, _ = sess.run([train_loss, train_op], feed_dict=feed)
            log.write("%d %r\n" % (step, float(value)))
            log.write("%d %r\n" % (step, float(sess.run(test_loss, feed_dict=feed))))
        log.write("6 %r\n" % float(sum(v.sum() for v in sess.run(tf.trainable_variables()))))
    log.close()


if __name__ == "__main__":
    tf.app.run()
