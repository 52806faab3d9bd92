"""A loop over the modes fills a dict of losses; reuse_variables after the first."""
import argparse
import os

import numpy as np
import tensorflow as tf

MODES = ["train", "test"]


def build():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    losses = {}
    with tf.variable_scope("net") as scope:
        for mode in MODES:
            w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.4))
            v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(-0.1))
            hidden = tf.tanh(tf.matmul(x, w))
            hidden = hidden * 0.5 if mode == "train" else hidden
            losses[mode] = tf.reduce_mean(tf.square(tf.matmul(hidden, v) - y))
            scope.reuse_variables()
    train_op = tf.train.GradientDescentOptimizer(0.2).minimize(losses["train"])
    return x, y, losses, train_op


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", type=str)
    args = parser.parse_args()
    x, y, losses, train_op = build()
    rng = np.random.RandomState(5)
    with open(os.path.join(args.dir, "loss.0"), "w") as log:
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(6):
                data = rng.rand(5, 3)
                value, _ = sess.run([losses["train"], train_op], {x: data, y: data[:, :1]})
                log.write("%d %r\n" % (step, float(value)))
                value = sess.run(losses["test"], {x: data, y: data[:, :1]})
                log.write("%d %r\n" % (step, float(value)))
            log.write("6 %r\n" % float(sum(v.sum() for v in sess.run(tf.trainable_variables()))))


main()
