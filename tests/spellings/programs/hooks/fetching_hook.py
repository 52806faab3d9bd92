"""A hook fetches the loss by SessionRunArgs and writes it; StopAtStepHook ends the loop."""
import sys

import numpy as np
import tensorflow as tf


class LossHook(tf.train.SessionRunHook):
    def __init__(self, loss, w, log):
        self._loss = loss
        self._w = w
        self._log = log

    def begin(self):
        self._step = 0

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        self._log.write("%d %r\n" % (self._step, float(run_values.results)))
        self._step += 1

    def end(self, session):
        self._log.write("%d %r\n" % (self._step, float(session.run(self._w).sum())))


def main():
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    rng = np.random.RandomState(8)
    hooks = [tf.train.StopAtStepHook(last_step=8), LossHook(loss, w, log)]
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        while not sess.should_stop():
            data = rng.rand(5, 3)
            sess.run(train_op, {x: data, y: data.sum(1, keepdims=True)})
    log.close()


if __name__ == "__main__":
    main()
