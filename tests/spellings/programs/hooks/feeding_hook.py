"""A hook feeds the batches (feed_dict of SessionRunArgs); a subclass of it writes the loss."""
import sys

import numpy as np
import tensorflow as tf


class FeedHook(tf.train.SessionRunHook):
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.rng = np.random.RandomState(8)

    def fetches(self):
        return None

    def before_run(self, run_context):
        data = self.rng.rand(5, 3)
        feed = {self.x: data, self.y: data.sum(1, keepdims=True)}
        return tf.train.SessionRunArgs(self.fetches(), feed_dict=feed)


class FeedAndLogHook(FeedHook):
    def __init__(self, x, y, loss, log):
        super(FeedAndLogHook, self).__init__(x, y)
        self.loss, self.log, self.step = loss, log, 0

    def fetches(self):
        return self.loss

    def after_run(self, run_context, run_values):
        self.log.write("%d %r\n" % (self.step, float(run_values.results)))
        self.step += 1


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.create_global_step())
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
final = tf.train.FinalOpsHook(w)
hooks = [FeedAndLogHook(x, y, loss, log), tf.train.StopAtStepHook(last_step=8), final]
with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
    while not sess.should_stop():
        sess.run(train_op)
log.write("8 %r\n" % float(final.final_ops_values.sum()))
log.close()
