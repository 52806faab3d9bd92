"""A function with a reuse argument is called twice, for training and for evaluation."""
import sys

import numpy as np
import tensorflow as tf


def network(x, is_training, reuse):
    with tf.variable_scope("net", reuse=reuse):
        w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.4))
        v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(-0.1))
        hidden = tf.tanh(tf.matmul(x, w))
        if is_training:
            hidden = hidden * 0.5
        return tf.matmul(hidden, v)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
train_loss = tf.reduce_mean(tf.square(network(x, True, reuse=False) - y))
test_loss = tf.reduce_mean(tf.square(network(x, False, reuse=True) - y))
train_op = tf.train.GradientDescentOptimizer(0.2).minimize(train_loss)
rng = np.random.RandomState(5)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        data = rng.rand(5, 3)
        value, _ = sess.run([train_loss, train_op], {x: data, y: data[:, :1]})
        log.write("%d %r\n" % (step, float(value)))
        log.write("%d %r\n" % (step, float(sess.run(test_loss, {x: data, y: data[:, :1]}))))
    log.write("6 %r\n" % float(sum(v.sum() for v in sess.run(tf.trainable_variables()))))
log.close()
