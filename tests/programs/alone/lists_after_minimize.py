"""A network copied into another by lists that are made after the update.

In TensorFlow 1 the list of the trained network has the optimizer's slots, too.
"""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
rs = np.random.RandomState(5)
s = tf.placeholder(tf.float32, [None, 4], name="s")
s_ = tf.placeholder(tf.float32, [None, 4], name="s_")
r = tf.placeholder(tf.float32, [None], name="r")
a = tf.placeholder(tf.int32, [None], name="a")

with tf.variable_scope("eval_net"):
    hidden = tf.layers.dense(s, 5, tf.nn.tanh, name="e1", kernel_initializer=(
        tf.constant_initializer(np.random.RandomState(0).randn(4, 5) * .4)))
    q = tf.layers.dense(hidden, 3, name="q", kernel_initializer=(
        tf.constant_initializer(np.random.RandomState(1).randn(5, 3) * .4)))
with tf.variable_scope("target_net"):
    hidden = tf.layers.dense(s_, 5, tf.nn.tanh, name="t1", kernel_initializer=(
        tf.constant_initializer(np.random.RandomState(2).randn(4, 5) * .4)))
    q_ = tf.layers.dense(hidden, 3, name="t2", kernel_initializer=(
        tf.constant_initializer(np.random.RandomState(3).randn(5, 3) * .4)))
with tf.variable_scope("q_target"):
    q_target = tf.stop_gradient(r + 0.9 * tf.reduce_max(q_, axis=1, name="Qmax_s_"))
with tf.variable_scope("q_wrt_a"):
    indices = tf.stack([tf.range(tf.shape(a)[0], dtype=tf.int32), a], axis=1)
    q_wrt_a = tf.gather_nd(params=q, indices=indices)
loss = tf.reduce_mean(tf.squared_difference(q_target, q_wrt_a, name="TD_error"))
train = tf.train.RMSPropOptimizer(0.05, name="RMSProp").minimize(loss)

t_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="target_net")
e_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="eval_net")
with tf.variable_scope("hard_replacement"):
    replace = [tf.assign(t, e) for t, e in zip(t_params, e_params)]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(9):
        if step % 3 == 1:
            sess.run(replace)
        batch = {s: rs.rand(6, 4), s_: rs.rand(6, 4), r: rs.rand(6),
                 a: rs.randint(0, 3, 6)}
        _, value, best = sess.run([train, loss, q_], feed_dict=batch)
        log.write("%d %r\n" % (step, float(value)))
        log.write("%d %r\n" % (100 + step, float(best.sum())))
log.close()
