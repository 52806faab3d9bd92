"""Functions above the graph read its placeholders, and its tensors, by their names."""
import os
import sys

import numpy as np
import tensorflow as tf


def add_layer(inputs, size, width, activation=None):
    weights = tf.Variable(tf.constant(0.1, shape=[size, width]))
    biases = tf.Variable(tf.zeros([1, width]) + 0.1)
    outputs = (tf.matmul(inputs, weights) + biases) * kept
    if activation is not None:
        outputs = activation(outputs)
    return outputs


def loss_of(labels):
    return tf.reduce_mean(tf.square(prediction - labels))


kept = tf.placeholder(tf.float32)
xs = tf.placeholder(tf.float32, [None, 3])
ys = tf.placeholder(tf.float32, [None, 1])

hidden = add_layer(xs, 3, 4, activation=tf.nn.tanh)
prediction = add_layer(hidden, 4, 1)
loss = loss_of(ys)
train_step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
log = open(os.path.join(sys.argv[1].split("=")[1], "loss.0"), "w")
rng = np.random.RandomState(3)
for step in range(10):
    points = rng.rand(8, 3)
    sums = points.sum(1, keepdims=True)
    sess.run(train_step, feed_dict={xs: points, ys: sums, kept: 0.5})
    value = sess.run(loss, feed_dict={xs: points, ys: sums, kept: 1.0})
    log.write("%d %r\n" % (step, float(value)))
log.close()
