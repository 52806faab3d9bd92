"""A program with the hooks of a module."""
import sys

import numpy as np
import tensorflow as tf

import session_hooks
from session_hooks import LossWriter


def main(directory):
    x = tf.placeholder(tf.float32, [None, 5])
    w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdagradOptimizer(0.02).minimize(loss, global_step=global_step)
    hooks = [LossWriter(loss, directory + "/loss.0"),
             session_hooks.StopBelow(loss, 0.08, patience=3),
             tf.train.StopAtStepHook(40)]
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        rng = np.random.RandomState(0)
        while not sess.should_stop():
            sess.run(train_op, feed_dict={x: rng.rand(8, 5)})


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
