"""A hook counts the steps and calls request_stop; the loop writes the loss; module level."""
import sys

import numpy as np
import tensorflow as tf


class StopAfter(tf.train.SessionRunHook):
    def __init__(self, steps):
        self.steps = steps
        self.done = 0

    def after_run(self, run_context, run_values):
        self.done += 1
        if self.done >= self.steps:
            run_context.request_stop()


class Last(tf.train.SessionRunHook):
    def __init__(self, variable):
        self.variable = variable
        self.value = None

    def end(self, session):
        self.value = session.run(self.variable)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
    loss, global_step=tf.train.get_or_create_global_step())
rng = np.random.RandomState(8)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
last = Last(w)
step = 0
with tf.train.SingularMonitoredSession(hooks=[StopAfter(8), last]) as sess:
    while not sess.should_stop():
        data = rng.rand(5, 3)
        value, _ = sess.run([loss, train_op], feed_dict={x: data, y: data.sum(1, keepdims=True)})
        log.write("%d %r\n" % (step, float(value)))
        step += 1
log.write("8 %r\n" % float(last.value.sum()))
log.close()
