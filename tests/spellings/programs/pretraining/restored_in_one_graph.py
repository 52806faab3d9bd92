"""One graph, two sessions; the encoder's variables are filtered by name and restored."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("encoder/w", [4, 2], initializer=tf.constant_initializer(0.3))
d = tf.get_variable("decoder/d", [2, 4], initializer=tf.constant_initializer(0.1))
v = tf.get_variable("head/v", [2, 1], initializer=tf.constant_initializer(0.2))
code = tf.tanh(tf.matmul(x, w))
reconstruction = tf.reduce_mean(tf.square(tf.matmul(code, d) - x))
loss = tf.reduce_mean(tf.square(tf.matmul(code, v) - y))
pretrain = tf.train.GradientDescentOptimizer(0.2).minimize(reconstruction)
finetune = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
kept = [a for a in tf.global_variables() if a.name.startswith("encoder") or a.name.startswith("decoder")]
saver = tf.train.Saver(kept)
rng = np.random.RandomState(6)
log = open(os.path.join(out, "loss.0"), "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        value, _ = sess.run([reconstruction, pretrain], {x: rng.rand(6, 4)})
        log.write("%d %r\n" % (step, float(value)))
    saver.save(sess, os.path.join(out, "pretrained.ckpt"))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    saver.restore(sess, os.path.join(out, "pretrained.ckpt"))
    for step in range(5, 10):
        data = rng.rand(6, 4)
        value, _ = sess.run([loss, finetune], {x: data, y: data[:, :1]})
        log.write("%d %r\n" % (step, float(value)))
    log.write("10 %r\n" % float(sum(a.sum() for a in sess.run([w, d, v]))))
log.close()
