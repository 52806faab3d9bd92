"""A list of phases (loss, update, feeds by a lambda); one loop runs each of them."""
import sys

import numpy as np
import tensorflow as tf


def variables(scope):
    return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope)


x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
with tf.variable_scope("encoder"):
    w = tf.get_variable("w", [4, 2], initializer=tf.constant_initializer(0.3))
    code = tf.tanh(tf.matmul(x, w))
with tf.variable_scope("decoder"):
    d = tf.get_variable("d", [2, 4], initializer=tf.constant_initializer(0.1))
    reconstruction = tf.reduce_mean(tf.square(tf.matmul(code, d) - x))
with tf.variable_scope("head"):
    v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(0.2))
    loss = tf.reduce_mean(tf.square(tf.matmul(code, v) - y))
encoder = variables("encoder")
pretrain = tf.train.GradientDescentOptimizer(0.2).minimize(reconstruction, var_list=encoder + variables("decoder"))
finetune = tf.train.GradientDescentOptimizer(0.05).minimize(loss, var_list=encoder + variables("head"))
phases = [
    (reconstruction, pretrain, lambda data: {x: data}),
    (loss, finetune, lambda data: {x: data, y: data[:, :1]}),
]
rng = np.random.RandomState(6)
with tf.Session() as sess, open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
    sess.run(tf.global_variables_initializer())
    step = 0
    for cost, update, feeds in phases:
        for _ in range(5):
            value, _ = sess.run([cost, update], feed_dict=feeds(rng.rand(6, 4)))
            log.write("%d %r\n" % (step, float(value)))
            step += 1
    log.write("10 %r\n" % float(sum(a.sum() for a in sess.run(tf.trainable_variables()))))
