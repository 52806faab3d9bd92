"""A graph of which a branch makes the loss and minimises it, as its settings say."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
training = True
l2 = 0.01
kind = "squares"

data = np.random.RandomState(0).rand(12, 4).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 4])
w = tf.Variable(tf.constant([[0.5], [-0.5], [1.0], [0.1]]))
output = tf.tanh(tf.matmul(x, w))
if training:
    target = tf.reduce_sum(x, 1, keepdims=True) / 4
    if kind == "squares":
        loss = tf.reduce_mean(tf.square(output - target))
    else:
        loss = tf.reduce_mean(tf.abs(output - target))
    if l2:
        loss += l2 * tf.nn.l2_loss(w)
    global_step = tf.Variable(0, trainable=False)
    rate = tf.train.exponential_decay(0.5, global_step, 3, 0.8)
    with tf.name_scope("train"):
        train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(
            loss, global_step=global_step)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(8):
        _, value = sess.run([train_op, loss], feed_dict={x: data})
        log.write("%d %r\n" % (i, float(value)))
    for value in sess.run(output, feed_dict={x: data[:4]}):
        log.write("10 %r\n" % float(value[0]))
log.close()
