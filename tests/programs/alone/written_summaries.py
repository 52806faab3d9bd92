"""A session that only trains and writes summaries: their tags and numbers are in its files."""
import argparse
import glob
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--dir")
FLAGS, _ = parser.parse_known_args()


def dense(value, rows, columns, name):
    with tf.name_scope(name):
        w = tf.Variable(tf.ones([rows, columns]) * 0.1)
        b = tf.Variable(tf.zeros([columns]) + 0.05)
        out = tf.nn.tanh(tf.matmul(value, w) + b)
        tf.summary.histogram("w", w)
        tf.summary.histogram("out", out)
    return out


x = tf.placeholder(tf.float32, [None, 4], name="x")
y = tf.placeholder(tf.float32, [None, 2])
hidden = dense(x, 4, 3, "hidden")
out = dense(hidden, 3, 2, "out")
with tf.name_scope("loss"):
    loss = tf.reduce_mean(tf.square(out - y))
    tf.summary.scalar("loss", loss)
    tf.summary.scalar("its size", tf.abs(loss), family="numbers")
train_step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
merged = tf.summary.merge_all()
distance = tf.summary.scalar("distance", tf.reduce_max(tf.abs(out - y)))

rng = np.random.RandomState(4)
log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
with tf.Session() as sess:
    trained = tf.summary.FileWriter(os.path.join(FLAGS.dir, "trained"), sess.graph)
    tested = tf.summary.FileWriter(os.path.join(FLAGS.dir, "tested"))
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        xs = rng.rand(10, 4)
        feed = {x: xs, y: xs[:, :2]}
        sess.run(train_step, feed_dict=feed)
        if step % 3 == 0:
            trained.add_summary(sess.run(merged, feed_dict=feed), step)
            far = sess.run(distance, feed_dict={x: xs[:2], y: xs[:2, 1:3]})
            tested.add_summary(far, global_step=step)
    by_hand = tf.Summary(value=[tf.Summary.Value(tag="by_hand", simple_value=0.5)])
    tested.add_summary(by_hand, 8)
    trained.close()
    tested.close()

for name in ("trained", "tested"):
    for path in sorted(glob.glob(os.path.join(FLAGS.dir, name, "*"))):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                print(event.step, value.tag)
                number = value.simple_value or value.histo.sum
                log.write("%d %r\n" % (event.step * 1000 + len(value.tag), float(number)))
log.close()
