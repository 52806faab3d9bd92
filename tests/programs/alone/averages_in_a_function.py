"""A function normalises by averages of its own, which tf.cond moves in the function's scope."""
import sys
import zlib

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def normalise(x, training, name):
    with tf.variable_scope(name):
        shift = tf.get_variable("shift", [3], initializer=tf.constant_initializer(0.1))
        mean, variance = tf.nn.moments(x, [0], name="moments")
        ema = tf.train.ExponentialMovingAverage(0.5)

        def move():
            with tf.control_dependencies([ema.apply([mean, variance])]):
                return tf.identity(mean), tf.identity(variance)

        m, v = tf.cond(
            training, move, lambda: (ema.average(mean), ema.average(variance))
        )
        return tf.nn.batch_normalization(x, m, v, shift, None, 0.1)


x = tf.placeholder(tf.float32, [None, 3])
training = tf.placeholder(tf.bool, [])
h = normalise(x, training, "first")
h = normalise(tf.square(h), training, "second")
loss = tf.reduce_mean(tf.square(h - x))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
saver = tf.train.Saver()
draws = np.random.RandomState(4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        xs = draws.rand(4, 3)
        sess.run(train_op, {x: xs, training: True})
        value = sess.run(loss, {x: xs, training: False})
        log.write("%d %r\n" % (i, float(value)))
    path = saver.save(sess, out + "/model")
for at, (name, shape) in enumerate(sorted(tf.train.list_variables(path))):
    log.write("%d %r\n" % (at, float(zlib.crc32(("%s %s" % (name, shape)).encode()) % 1000)))
log.close()
