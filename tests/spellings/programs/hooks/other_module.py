"""The hooks are classes of a module beside; flags and tf.app.run."""
import os

import numpy as np
import tensorflow as tf

import own_hooks

tf.app.flags.DEFINE_string("dir", "", "Where the log goes.")
FLAGS = tf.app.flags.FLAGS


def main(_):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    hooks = [
        own_hooks.LogHook(loss, w, os.path.join(FLAGS.dir, "loss.0")),
        tf.train.StopAtStepHook(last_step=8),
    ]
    rng = np.random.RandomState(8)
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        while not sess.should_stop():
            data = rng.rand(5, 3)
            sess.run(train_op, feed_dict={x: data, y: data.sum(1, keepdims=True)})


if __name__ == "__main__":
    tf.app.run()
