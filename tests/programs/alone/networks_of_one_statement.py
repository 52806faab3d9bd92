"""One statement builds the network to train and to test; only the first moves the averages.

A run of the second makes no update of the first. A fetched sparse tensor has its three parts.
"""
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def net(x, is_training, reuse=None):
    given = {"is_training": is_training, "decay": 0.8, "updates_collections": None}
    with tf.variable_scope("net", reuse=reuse):
        w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.5))
        return slim.batch_norm(tf.matmul(x, w), scope="bn", **given)


x = tf.placeholder(tf.float32, [None, 3])
trained, tested = net(x, True), net(x, False, True)
large = tf.SparseTensor(
    tf.where(x > 0.5), tf.boolean_mask(x, x > 0.5), tf.shape(x, out_type=tf.int64)
)
loss = tf.reduce_mean(tf.square(trained - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
draws = np.random.RandomState(4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        xs = draws.rand(4, 3)
        sess.run(train_op, {x: xs})
        for again in range(2):
            value = sess.run(tested, {x: xs})
            log.write("%d %r\n" % (2 * i + again, float(value.sum())))
    parts = sess.run(large, {x: xs})
    log.write("8 %r\n" % float(parts.indices.sum() + parts.values.sum()))
    log.write("9 %r\n" % float(parts.dense_shape[0] * 10 + parts.dense_shape[1]))
log.close()
