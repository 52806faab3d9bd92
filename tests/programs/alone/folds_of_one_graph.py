"""Cross validation: one graph, and a session for each fold."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
rs = np.random.RandomState(0)
data = rs.rand(20, 4).astype(np.float32)
labels = (data.sum(1) > 2).astype(np.float32)[:, None]
n_folds = 4

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(rs.rand(4, 1).astype(np.float32))
b = tf.Variable(0.0)
global_step = tf.Variable(0, trainable=False)
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
rate = tf.train.exponential_decay(0.1, global_step, 2, 0.7)
train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=global_step)
init = tf.global_variables_initializer()

scores = []
for fold in range(n_folds):
    held_out = np.arange(20) % n_folds == fold
    with tf.Session() as sess:
        sess.run(init)
        for i in range(5):
            _, value = sess.run([train_op, loss],
                                feed_dict={x: data[~held_out], y: labels[~held_out]})
            log.write("%d %r\n" % (10 * fold + i, float(value)))
        scores.append(sess.run(loss, feed_dict={x: data[held_out], y: labels[held_out]}))
        log.write("%d %r\n" % (10 * fold + 9, float(scores[-1])))

log.write("100 %r\n" % float(np.mean(scores)))
log.close()
