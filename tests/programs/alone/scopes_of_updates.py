"""Updates and averages in variable scopes and name scopes, which name what they make."""
import sys
import zlib

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
start = tf.constant_initializer(0.2)
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
with tf.variable_scope("net"):
    h = tf.layers.dense(x, 4, tf.tanh, kernel_initializer=start, name="hidden")
    pred = tf.layers.dense(x, 1, kernel_initializer=start, name="out")
with tf.name_scope("losses"):
    small = tf.reduce_mean(tf.square(h))
    loss = tf.reduce_mean(tf.square(pred - y))
step = tf.train.get_or_create_global_step()
first = tf.trainable_variables("net/hidden")
last = tf.trainable_variables("net/out")
with tf.variable_scope("train"):
    with tf.name_scope("adam"):
        train = tf.train.AdamOptimizer(0.05).minimize(small, step, var_list=first)
with tf.name_scope("sgd"):
    with tf.control_dependencies([train]):
        rest = tf.train.AdamOptimizer(0.02, name="Rest").minimize(loss, var_list=last)
with tf.variable_scope("averages"):
    ema = tf.train.ExponentialMovingAverage(0.8, step)
    with tf.control_dependencies([rest]):
        train_op = ema.apply(tf.trainable_variables())
saver = tf.train.Saver()
draws = np.random.RandomState(4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        xs = draws.rand(4, 3)
        _, value, near = sess.run(
            [train_op, loss, small], {x: xs, y: xs.sum(1, keepdims=True)}
        )
        log.write("%d %r\n" % (i, float(value)))
        log.write("%d %r\n" % (i, float(near)))
    path = saver.save(sess, out + "/model")
for at, (name, shape) in enumerate(sorted(tf.train.list_variables(path))):
    log.write("%d %r\n" % (at, float(zlib.crc32(("%s %s" % (name, shape)).encode()) % 1000)))
log.close()
