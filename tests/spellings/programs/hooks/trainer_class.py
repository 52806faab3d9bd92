"""A trainer class makes hooks by a method with yield; a hook reads the graph's loss in begin."""
import sys

import numpy as np
import tensorflow as tf


class ByName(tf.train.SessionRunHook):
    def __init__(self, log):
        self.log = log

    def begin(self):
        graph = tf.get_default_graph()
        self.loss = graph.get_tensor_by_name("loss:0")
        self.step = 0

    def before_run(self, context):
        return tf.train.SessionRunArgs([self.loss])

    def after_run(self, context, values):
        (loss,) = values.results
        self.log.write("%d %r\n" % (self.step, float(loss)))
        self.step += 1


class Trainer(object):
    def __init__(self, log):
        self.log = log
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = tf.placeholder(tf.float32, [None, 1])
        self.w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - self.y), name="loss")
        step = tf.train.get_or_create_global_step()
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss, global_step=step)
        self.final = tf.train.FinalOpsHook(self.w)

    def hooks(self):
        yield tf.train.StopAtStepHook(last_step=8)
        yield ByName(self.log)
        yield self.final

    def train(self):
        rng = np.random.RandomState(8)
        with tf.train.MonitoredTrainingSession(hooks=list(self.hooks())) as sess:
            while not sess.should_stop():
                data = rng.rand(5, 3)
                sess.run(self.train_op, {self.x: data, self.y: data.sum(1, keepdims=True)})
        self.log.write("8 %r\n" % float(self.final.final_ops_values.sum()))


log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
Trainer(log).train()
log.close()
