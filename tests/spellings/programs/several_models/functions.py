"""A function builds a network in a scope and returns a tuple; no class; module level."""
import sys

import numpy as np
import tensorflow as tf


def build_net(scope):
    s = tf.placeholder(tf.float32, [None, 3])
    with tf.variable_scope(scope):
        w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.2))
        b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
    return s, tf.tanh(tf.matmul(s, w)) + b, [w, b]


s_online, q_online, online_vars = build_net("online")
s_target, q_target, target_vars = build_net("target")
t = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(tf.square(q_online - t))
train = tf.train.GradientDescentOptimizer(0.3).minimize(loss, var_list=online_vars)
copy = [b.assign(a) for a, b in zip(online_vars, target_vars)]
rng = np.random.RandomState(4)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(copy)
    for step in range(8):
        batch = rng.rand(4, 3)
        goal = 0.5 + 0.9 * sess.run(q_target, {s_target: batch})
        value, _ = sess.run([loss, train], {s_online: batch, t: goal})
        log.write("%d %r\n" % (step, float(value)))
        if step % 3 == 2:
            sess.run(copy)
    log.write("8 %r\n" % float(sum(v.sum() for v in sess.run(target_vars))))
log.close()
