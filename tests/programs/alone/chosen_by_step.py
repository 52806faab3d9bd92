"""What is fetched depends on the step: a conditional expression, an if, and one within the run."""
import sys

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(7)
points = rng.randn(64, 3).astype(np.float32)
sums = (np.sum(points, 1) + 0.5 + 0.1 * rng.randn(64)).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 3], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) + b - y))
worst = tf.reduce_max(tf.abs(tf.reduce_sum(x * w, 1) + b - y))
pretrain = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[b])
finetune = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(16):
        feed = {x: points[4 * step:4 * step + 4], y: sums[4 * step:4 * step + 4]}
        # The bias alone, at first.
        train_op = pretrain if step < 4 else finetune
        _, value = sess.run([train_op, loss], feed_dict=feed)
        log.write("%d %r\n" % (step, float(value)))
    for step in range(16, 24):
        if step % 3 == 0:
            measure = worst
        elif step % 3 == 1:
            measure = loss
        else:
            measure = b
        value = sess.run(measure, {x: points, y: sums})
        log.write("%d %r\n" % (step, float(value)))
        start = 8 * (step - 16)
        batch = {x: points[start:start + 8], y: sums[start:start + 8]}
        sess.run(finetune if step % 2 else pretrain, feed_dict=batch)
log.close()
