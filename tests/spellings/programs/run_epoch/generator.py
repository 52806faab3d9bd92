"""A generator yields batches; run_epoch has a flag is_training and returns early to evaluate."""
import argparse
import os

import numpy as np
import tensorflow as tf


def batches(first, last):
    draws = np.random.RandomState(3)
    for i in range(last):
        batch = draws.rand(4, 3)
        if i >= first:
            yield batch


def build():
    x = tf.placeholder(tf.float32, [None, 3], "x")
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
    cost = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1))
    return x, w, cost, tf.train.GradientDescentOptimizer(0.2).minimize(cost)


def run_epoch(sess, model, is_training):
    x, _, cost, train_op = model
    if not is_training:
        return np.mean([float(sess.run(cost, {x: b})) for b in batches(3, 5)])
    costs = []
    for batch in batches(0, 3):
        value, _ = sess.run([cost, train_op], {x: batch})
        costs.append(float(value))
    return np.mean(costs)


def main(args):
    model = build()
    with tf.Session() as sess, open(os.path.join(args.dir, "loss.0"), "w") as log:
        sess.run(tf.global_variables_initializer())
        for epoch in range(3):
            for is_training in (True, False):
                log.write("%d %r\n" % (epoch, float(run_epoch(sess, model, is_training))))
        log.write("3 %r\n" % float(sess.run(model[1]).sum()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    main(parser.parse_args())
