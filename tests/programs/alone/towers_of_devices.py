"""Towers over a list of devices, in a scope that is reused by its name; parts by tf.split; batches by a seed."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
DEVICES = 2


def network(x):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [4, 3], initializer=tf.constant_initializer(0.2))
        v = tf.get_variable("v", [3, 1], initializer=tf.constant_initializer(-0.1))
        return tf.matmul(tf.nn.tanh(tf.matmul(x, w)), v)


def combine(tower_grads):
    """What the towers say of each variable, put together."""
    averaged = []
    for pairs in zip(*tower_grads):
        present = [g for g, _ in pairs if g is not None]
        if not present:
            continue
        averaged.append((tf.add_n(present) / len(present), pairs[0][1]))
    return averaged


x = tf.placeholder(tf.float32, [8, 4])
y = tf.placeholder(tf.float32, [8, 1])
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.3, step, 2, 0.9, staircase=True)
optimizer = tf.train.MomentumOptimizer(rate, 0.9)
tower_grads, losses = [], []
xs, ys = tf.split(x, DEVICES), tf.split(y, DEVICES)
with tf.variable_scope(tf.get_variable_scope()) as scope:
    for i, device in enumerate(["/gpu:0", "/gpu:1"]):
        with tf.device(device), tf.name_scope("tower_%d" % i):
            loss = tf.losses.mean_squared_error(ys[i], network(xs[i]))
            scope.reuse_variables()
            losses.append(loss)
            tower_grads.append(optimizer.compute_gradients(loss))
total = tf.reduce_mean(losses)
train_op = optimizer.apply_gradients(combine(tower_grads), global_step=step)

rng = np.random.RandomState(3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(6):
        batch = rng.rand(8, 4)
        _, value = sess.run([train_op, total], {x: batch, y: batch.sum(1, keepdims=True) - 2})
        log.write("%d %r\n" % (n, float(value)))
log.close()
