"""Names that modules of the result have, too, bound as public code likes to bind them."""

import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers as contrib_layers

directory = sys.argv[-1].split('=')[1]
rng = np.random.RandomState(3)
points = rng.rand(20, 3).astype(np.float32)
sums = points.sum(1, keepdims=True)

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
hidden = contrib_layers.fully_connected(
    x, 4, weights_initializer=tf.constant_initializer(0.1)
)
out = contrib_layers.fully_connected(
    hidden, 1, activation_fn=None, weights_initializer=tf.constant_initializer(0.2)
)
loss = tf.reduce_mean(tf.square(out - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with open(directory + '/loss.0', 'w') as log:
    with tf.Session() as training_session:
        training_session.run(tf.global_variables_initializer())
        for step in range(10):
            batch = slice(step, step + 8)
            feed = {x: points[batch], y: sums[batch]}
            value, _ = training_session.run([loss, train], feed)
            log.write('%d %r\n' % (step, float(value)))
