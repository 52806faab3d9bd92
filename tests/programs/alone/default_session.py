"""Graph, model and functions within `with sess.as_default():`, under a graph of its own."""
import sys

import numpy as np
import tensorflow as tf
directory = sys.argv[1].split("=")[1]
log = open(directory + "/loss.0", "w")


class TextNet(object):
    def __init__(self, n):
        self.x = tf.placeholder(tf.float32, [None, n])
        self.y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [n, 1], initializer=tf.zeros_initializer())
        with tf.name_scope("loss"):
            self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - self.y))


with tf.Graph().as_default():
    conf = tf.ConfigProto(allow_soft_placement=True)
    sess = tf.Session(config=conf)
    with sess.as_default():
        net = TextNet(5)
        global_step = tf.Variable(0, name="global_step", trainable=False)
        optimizer = tf.train.AdamOptimizer(1e-2)
        grads_and_vars = optimizer.compute_gradients(net.loss)
        train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
        saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
        init = tf.group(tf.global_variables_initializer(),
                        tf.local_variables_initializer())
        sess.run(init)

        def train_step(x_batch, y_batch):
            feed = {net.x: x_batch, net.y: y_batch}
            _, step, value = sess.run([train_op, global_step, net.loss], feed)
            log.write("%d %r\n" % (step, float(value)))

        rng = np.random.RandomState(0)
        for i in range(8):
            xs = rng.randn(6, 5)
            train_step(xs, xs.sum(1, keepdims=True))
            current_step = tf.train.global_step(sess, global_step)
            if current_step % 4 == 0:
                saver.save(sess, directory + "/model", global_step=current_step)
log.close()
