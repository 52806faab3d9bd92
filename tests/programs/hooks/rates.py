"""A hook that sets the learning rate by what it feeds, one that saves, one that loads."""
import os
import sys

import numpy as np
import tensorflow as tf

DIRECTORY = sys.argv[1].split("=")[1]


def tell(text, *values):
    with open(DIRECTORY + "/told.0", "a") as file:
        print(text % values, file=file)


class RestoreHook(tf.train.SessionRunHook):
    def __init__(self, saver, path):
        self.saver = saver
        self.path = path

    def after_create_session(self, session, coord):
        if self.path and os.path.exists(self.path + ".index"):
            self.saver.restore(session, self.path)
            tell("restored")


class SaveHook(tf.train.SessionRunHook):
    """Saves the best weights."""

    def __init__(self, loss, path):
        self.loss, self.path = loss, path
        self.best = None

    def begin(self):
        self.saver = tf.train.Saver(max_to_keep=2)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(fetches=[self.loss])

    def after_run(self, run_context, run_values):
        (value,) = run_values.results
        if self.best is None or value < self.best:
            self.best = value
            self.saver.save(run_context.session, self.path)
            tell("saved at %.5f", value)


class ScaleHook(tf.train.SessionRunHook):
    """Sets variables between the steps."""

    def __init__(self, scale, noise):
        self._scale, self._noise = scale, noise

    def begin(self):
        self._new = tf.placeholder(tf.float32, [])
        self._set = tf.assign(self._noise, self._new)
        self._count = 0

    def before_run(self, run_context):
        self._count += 1
        run_context.session.run(self._set, feed_dict={self._new: 0.01 * self._count})

    def after_run(self, run_context, run_values):
        if self._count == 5:
            self._scale.load(2.0, run_context.session)
            (noise,) = run_context.session.run([self._noise])
            tell("scale %.1f noise %.2f", run_context.session.run(self._scale), noise)


def main(directory):
    rng = np.random.RandomState(0)
    xs = rng.randn(40, 5).astype(np.float32)
    ys = xs.sum(1, keepdims=True)
    x = tf.placeholder(tf.float32, [None, 5])
    y = tf.placeholder(tf.float32, [None, 1])
    rate = tf.placeholder(tf.float32, [], name="rate")
    w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.5))
    scale = tf.get_variable("scale", [], initializer=tf.ones_initializer(), trainable=False)
    noise = tf.get_variable("noise", [], initializer=tf.zeros_initializer(), trainable=False)
    loss = scale * tf.reduce_mean(tf.square(tf.matmul(x, w) - y + noise))
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)

    class _LearningRateSetterHook(tf.train.SessionRunHook):
        """Sets the learning rate by the global step."""

        def begin(self):
            self._lrn_rate = 0.1

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(
                global_step,  # Asks for global step value.
                feed_dict={rate: self._lrn_rate})  # Sets learning rate.

        def after_run(self, run_context, run_values):
            step = run_values.results
            if step < 4:
                self._lrn_rate = 0.1
            elif step < 7:
                self._lrn_rate = 0.05
            else:
                self._lrn_rate = 0.01

    path = os.path.join(directory, "best")
    for_restore = tf.train.Saver([w])
    hooks = [RestoreHook(for_restore, path), SaveHook(loss, path),
             ScaleHook(scale, noise), _LearningRateSetterHook(),
             tf.train.StopAtStepHook(num_steps=10)]
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        step = 0
        while not sess.should_stop():
            at = 8 * (step % 5)
            _, value = sess.run([train_op, loss], {x: xs[at:at + 8], y: ys[at:at + 8]})
            tell("%d %.6f", step, value)
            step += 1


if __name__ == "__main__":
    main(DIRECTORY)
