"""A hook calls functions that it is given: lambdas and a closure that write the log."""
import sys

import numpy as np
import tensorflow as tf


class CallbackHook(tf.train.SessionRunHook):
    def __init__(self, fetches, after, end=None):
        self.fetches, self.after, self.at_end = fetches, after, end

    def before_run(self, context):
        return tf.train.SessionRunArgs(fetches=self.fetches)

    def after_run(self, context, values):
        self.after(values.results)

    def end(self, session):
        if self.at_end is not None:
            self.at_end(session)


def make_writer(log):
    losses = []

    def write(value):
        log.write("%d %r\n" % (len(losses), float(value)))
        losses.append(value)
    return write


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
hook = CallbackHook(loss, make_writer(log), lambda s: log.write("8 %r\n" % float(s.run(w).sum())))
rng = np.random.RandomState(8)
with tf.train.MonitoredTrainingSession(hooks=[hook, tf.train.StopAtStepHook(8)]) as sess:
    while not sess.should_stop():
        data = rng.rand(5, 3)
        sess.run(train_op, {x: data, y: data.sum(1, keepdims=True)})
log.close()
