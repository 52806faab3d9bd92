"""Layers and get_variable in name scopes, which do not name them; variables that they name."""
import argparse
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--dir")
FLAGS, _ = parser.parse_known_args()


def neurons(v, width, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [4, width], initializer=tf.constant_initializer(0.2))
        return tf.matmul(v, w)


x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 2])
with tf.name_scope("dnn"):
    hidden1 = tf.layers.dense(x, 4, name="hidden1", activation=tf.nn.tanh,
                              kernel_initializer=tf.constant_initializer(0.1))
    # Of a function.
    hidden2 = tf.tanh(neurons(hidden1, 4, "hidden2"))
    tf.summary.histogram("hidden2", hidden2)
    bias = tf.Variable(tf.zeros([4]), name="bias")
    hidden2 = hidden2 + bias
with tf.variable_scope("top"), tf.name_scope("inner"):
    out = neurons(hidden2, 2, "out")
loss = tf.reduce_mean(tf.square(out - y))
optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
upper = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="hidden2|top")
train_op = optimizer.minimize(loss, tf.train.get_or_create_global_step(), var_list=upper)
merged = tf.summary.merge_all()
saver = tf.train.Saver()

rng = np.random.RandomState(4)
log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter(FLAGS.dir, sess.graph)
    for step in range(8):
        xs = rng.rand(10, 4)
        _, value, summary = sess.run([train_op, loss, merged], {x: xs, y: xs[:, :2]})
        writer.add_summary(summary, step)
        log.write("%d %r\n" % (step, float(value)))
    path = saver.save(sess, os.path.join(FLAGS.dir, "model"))
named = sorted(name for name, _ in tf.train.list_variables(path))
print(named)
log.write("%d %r\n" % (len(named), float(sum(map(len, named)))))
log.close()
