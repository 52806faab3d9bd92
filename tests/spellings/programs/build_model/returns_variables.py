"""The network returns its list of variables; another function applies the gradients to it."""
import sys

import numpy as np
import tensorflow as tf


def network(x):
    w = tf.Variable(tf.fill([3, 1], 0.2), name="w")
    b = tf.Variable(tf.zeros([1]), name="b")
    return tf.matmul(x, w) + b, [w, b]


def training(loss, params, lr=0.05):
    step = tf.Variable(0, name="global_step", trainable=False)
    opt = tf.train.MomentumOptimizer(lr, 0.9)
    grads = tf.gradients(loss, params)
    return opt.apply_gradients(zip(grads, params), global_step=step), step


def run_training(log):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None, 1])
        out, params = network(x)
        loss = tf.reduce_mean(tf.square(out - y))
        train_op, step = training(loss, params)
        init = tf.global_variables_initializer()
        rng = np.random.RandomState(1)
        with tf.Session() as sess:
            sess.run(init)
            for i in range(8):
                data = rng.rand(6, 3)
                _, value = sess.run([train_op, loss], feed_dict={x: data, y: data.sum(1, keepdims=True)})
                log.write("%d %r\n" % (i, float(value)))
            for p in params:
                log.write("8 %r\n" % float(sess.run(p).sum()))
            log.write("8 %r\n" % float(sess.run(step)))


if __name__ == "__main__":
    with open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
        run_training(log)
