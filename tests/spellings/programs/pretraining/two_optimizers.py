"""Two optimizers with var_list in one session, two loops at module level."""
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
with tf.variable_scope("encoder"):
    w = tf.get_variable("w", [4, 2], initializer=tf.constant_initializer(0.3))
with tf.variable_scope("decoder"):
    d = tf.get_variable("d", [2, 4], initializer=tf.constant_initializer(0.1))
with tf.variable_scope("head"):
    v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(0.2))
code = tf.tanh(tf.matmul(x, w))
reconstruction = tf.reduce_mean(tf.square(tf.matmul(code, d) - x))
loss = tf.reduce_mean(tf.square(tf.matmul(code, v) - y))
pretrain_op = tf.train.GradientDescentOptimizer(0.2).minimize(reconstruction, var_list=[w, d])
finetune_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, var_list=[w, v])
rng = np.random.RandomState(6)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        data = rng.rand(6, 4)
        value, _ = sess.run([reconstruction, pretrain_op], {x: data})
        log.write("%d %r\n" % (step, float(value)))
    for step in range(5, 10):
        data = rng.rand(6, 4)
        value, _ = sess.run([loss, finetune_op], {x: data, y: data[:, :1]})
        log.write("%d %r\n" % (step, float(value)))
    log.write("10 %r\n" % float(sum(a.sum() for a in sess.run([w, d, v]))))
log.close()
