"""A generator's variables, chosen by name from a list, are saved and restored alone.

The same list says what the optimizer changes. A second Saver has what two lists share.
"""
import os
import sys

import numpy as np
import tensorflow as tf

directory = sys.argv[1].split("=")[1]
log = open(directory + "/loss.0", "w")
draws = np.random.RandomState(3)
real = tf.placeholder(tf.float32, [None, 3])
z = tf.placeholder(tf.float32, [None, 2])


def generate(z):
    with tf.variable_scope("gen"):
        h = tf.layers.dense(z, 4, tf.nn.relu, kernel_initializer=tf.constant_initializer(0.4))
        return tf.layers.dense(h, 3, kernel_initializer=tf.constant_initializer(0.2))


def judge(x, reuse=None):
    with tf.variable_scope("dis", reuse=reuse):
        return tf.layers.dense(x, 1, kernel_initializer=tf.constant_initializer(0.3))


made = generate(z)
of_real = judge(real)
of_made = judge(made, reuse=True)
cross_entropy = tf.nn.sigmoid_cross_entropy_with_logits
d_loss = tf.reduce_mean(
    cross_entropy(logits=of_real, labels=tf.ones_like(of_real))
    + cross_entropy(logits=of_made, labels=tf.zeros_like(of_made)))
g_loss = tf.reduce_mean(cross_entropy(logits=of_made, labels=tf.ones_like(of_made)))
all_variables = tf.trainable_variables()
d_variables = [v for v in all_variables if "dis" in v.name]
g_variables = [v for v in all_variables if "gen" in v.name]
d_train = tf.train.GradientDescentOptimizer(0.2).minimize(d_loss, var_list=d_variables)
g_train = tf.train.GradientDescentOptimizer(0.2).minimize(g_loss, var_list=g_variables)
saver = tf.train.Saver(g_variables, max_to_keep=2)
kernels = tf.train.Saver([v for v in all_variables if "kernel" in v.name])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(8):
        d = {real: draws.rand(5, 3), z: draws.rand(5, 2)}
        log.write("%d %r\n" % (i, float(sess.run([d_loss, d_train], d)[0])))
        log.write("%d %r\n" % (i, float(sess.run([g_loss, g_train], d)[0])))
        if i == 3:
            path = saver.save(sess, os.path.join(directory, "gen"))
            kernels.save(sess, os.path.join(directory, "kernels"))
        if i == 5:
            saver.restore(sess, path)
    log.write("9 %d\n" % len(tf.train.list_variables(path)))
    log.write("9 %d\n" % len(tf.train.list_variables(os.path.join(directory, "kernels"))))
    kernels.restore(sess, os.path.join(directory, "kernels"))
    log.write("9 %r\n" % float(sess.run(g_loss, {z: draws.rand(5, 2)})))
log.close()
