"""A layer's function gives its variables beside what it computes; a saver has only these."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def layer(x, width):
    w = tf.Variable(tf.constant(np.linspace(-1, 1, 4 * width).reshape(4, width),
                                tf.float32), name="w")
    b = tf.Variable(tf.zeros([width]), name="b")
    return tf.nn.tanh(tf.matmul(x, w) + b), w, b


def main():
    data = np.random.RandomState(0).rand(12, 4).astype(np.float32)
    x = tf.placeholder(tf.float32, [None, 4])
    hidden, w1, b1 = layer(x, 3)
    w2 = tf.Variable(tf.fill([3, 1], 0.5), name="out")
    loss = tf.reduce_mean(tf.square(tf.matmul(hidden, w2) - 1.0))
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    pre_saver = tf.train.Saver([w1, b1])
    path = os.path.join(out, "layer.ckpt")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(4):
            _, value = sess.run([train_op, loss], {x: data})
            log.write("%d %r\n" % (i, float(value)))
        pre_saver.save(sess, path)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        pre_saver.restore(sess, path)
        for i in range(4):
            _, value = sess.run([train_op, loss], {x: data})
            log.write("%d %r\n" % (10 + i, float(value)))


main()
log.close()
