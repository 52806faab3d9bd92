"""Layers without names: in a loop, in a loop's scopes, and in a function that is called again."""
import sys
import zlib

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
start = tf.constant_initializer(0.2)


def widen(h, units):
    h = tf.layers.dense(h, units, tf.nn.sigmoid, kernel_initializer=start)
    return tf.layers.batch_normalization(h, training=False)


def pair(h, name):
    with tf.variable_scope(name):
        return widen(widen(h, 4), 3)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
h = widen(x, 5)
for i in range(2):
    h = tf.layers.dense(h, 4 + i, tf.tanh, kernel_initializer=start)
for i in range(2):
    with tf.variable_scope("layer%d" % i):
        h = tf.layers.dense(h, 4, tf.tanh, kernel_initializer=start)
        h = tf.layers.dense(h, 3, tf.tanh, kernel_initializer=start)
h = pair(pair(h, "first"), "second")
pred = tf.layers.dense(h, 1, kernel_initializer=start)
loss = tf.reduce_mean(tf.square(pred - y))
train = tf.train.MomentumOptimizer(0.2, 0.9).minimize(loss)
saver = tf.train.Saver()
draws = np.random.RandomState(4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        xs = draws.rand(4, 3)
        _, value = sess.run([train, loss], {x: xs, y: xs.sum(1, keepdims=True)})
        log.write("%d %r\n" % (step, float(value)))
    path = saver.save(sess, out + "/model")
for at, (name, shape) in enumerate(sorted(tf.train.list_variables(path))):
    log.write("%d %r\n" % (at, float(zlib.crc32(("%s %s" % (name, shape)).encode()) % 1000)))
log.close()
