"""An autoencoder with tied weights: its loop makes them by the shape of the code so far."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


def weights(seed, *shape):
    return (np.random.RandomState(seed).randn(*shape) * .3).astype("f")


def scale(code, seed):
    factor = tf.Variable(weights(seed, int(code.get_shape()[1])))
    return code * factor, factor


def autoencoder(dimensions=(12, 7, 5, 3), noisy=True):
    x = tf.placeholder(tf.float32, [None, dimensions[0]], name="x")
    code = x
    if noisy:
        code += .1 * tf.cos(x)
        code = tf.concat([code, tf.sin(code)], 1)
    penalty = 0.
    encoder = []
    for at, units in enumerate(dimensions[1:]):
        before = int(code.get_shape()[1])
        W = tf.Variable(weights(at, before, units))
        b = tf.Variable(tf.zeros([units]))
        encoder.append(W)
        output = tf.nn.tanh(tf.matmul(code, W) + b)
        code, factor = scale(output, at)
        penalty += tf.nn.l2_loss(factor)
    z = code
    encoder.reverse()
    for at, units in enumerate(dimensions[:-1][::-1]):
        W = tf.transpose(encoder[at])
        b = tf.Variable(tf.zeros([W.get_shape()[1]]))
        code = tf.nn.tanh(tf.matmul(code, W) + b)
    y = code[:, :dimensions[0]]
    cost = tf.reduce_mean(tf.square(y - x)) + .01 * penalty
    return {"x": x, "z": z, "y": y, "cost": cost}


ae = autoencoder()
train = tf.train.AdamOptimizer(.01).minimize(ae["cost"])
rng = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        xs = rng.rand(5, 12)
        sess.run(train, feed_dict={ae["x"]: xs})
        cost, code = sess.run([ae["cost"], ae["z"]], feed_dict={ae["x"]: xs})
        log.write("%d %r\n" % (step, float(cost)))
        log.write("%d %r\n" % (step, float(np.square(code).sum())))
log.close()
