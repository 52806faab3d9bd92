"""Loops make layers by the shapes of the rounds before: blocks in blocks, branches, jumps."""
import sys
import zlib

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def kernel(name, shape):
    values = np.random.RandomState(zlib.crc32(name.encode()) % 1000).randn(*shape) * .3
    return tf.get_variable(name, shape, initializer=tf.constant_initializer(values))


def block(net, depth, name, stride):
    with tf.variable_scope(name):
        shortcut = net
        if net.get_shape().as_list()[-1] != depth:
            project = kernel("project", [1, 1, net.get_shape().as_list()[-1], depth])
            shortcut = tf.nn.conv2d(net, project, [1, stride, stride, 1], "SAME")
        first = kernel("first", [3, 3, int(net.get_shape()[3]), depth])
        net = tf.nn.relu(tf.nn.conv2d(net, first, [1, stride, stride, 1], "SAME"))
        second = kernel("second", [3, 3, int(net.get_shape()[3]), depth])
        net = tf.nn.conv2d(net, second, [1, 1, 1, 1], "SAME")
        return tf.nn.relu(net + shortcut)


x = tf.placeholder(tf.float32, [None, 64])
y = tf.placeholder(tf.float32, [None, 1])
net = tf.reshape(x, [-1, 8, 8, 1])
for i, depth in enumerate([3, 4]):
    for j in range(2):
        net = block(net, depth, "block%d_%d" % (i, j), 2 if j == 0 else 1)
net = tf.reshape(net, [-1, int(np.prod(net.get_shape().as_list()[1:]))])
for units in (6, 5, 4):
    if units == 5:
        continue
    with tf.variable_scope("dense%d" % units):
        w = kernel("w", [net.get_shape()[1].value, units])
    net = tf.nn.tanh(tf.matmul(net, w))
units = 4
while units > 1:
    units //= 2
    if units == 1:
        w = kernel("last", [int(net.shape[1]), units])
    else:
        w = kernel("middle", [int(net.shape[1]), units])
    net = tf.matmul(net, w)
loss = tf.reduce_mean(tf.square(net - y))
train = tf.train.MomentumOptimizer(.05, .9).minimize(loss)
saver = tf.train.Saver()
draws = np.random.RandomState(4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        xs = draws.rand(4, 64)
        _, value = sess.run([train, loss], {x: xs, y: xs[:, :1]})
        log.write("%d %r\n" % (step, float(value)))
    path = saver.save(sess, out + "/model")
for at, (name, shape) in enumerate(sorted(tf.train.list_variables(path))):
    log.write("%d %r\n" % (at, float(zlib.crc32(("%s %s" % (name, shape)).encode()) % 1000)))
log.close()
