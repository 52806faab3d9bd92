"""A logger as in a tutorial; it asks every run for the loss, and so draws a batch in every run."""
import sys
from datetime import datetime
import time

import numpy as np
import tensorflow as tf
from tensorflow.python.training import session_run_hook

FREQUENCY = 2
BATCH = 4


class CountingHook(session_run_hook.SessionRunHook):
    """Counts runs; tells through methods of its own."""

    def __init__(self, told):
        self.told = told
        self.runs = 0

    def after_run(self, run_context, run_values):
        self.runs += 1
        self._stop(run_context, run_values)

    def _stop(self, context, values):
        if values.results is None and self.runs >= 14:
            self._ask(context)

    def _ask(self, run_context):
        run_context.request_stop()
        print("stop requested", run_context.stop_requested, "after", self.runs, file=self.told)


def inference(x):
    with tf.variable_scope("model"):
        w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.5))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def train(directory):
    told = open(directory + "/told.0", "w")
    with tf.Graph().as_default():
        global_step = tf.train.get_or_create_global_step()
        rng = np.random.RandomState(0)
        xs = rng.randn(40, 5).astype(np.float32)
        ys = xs.sum(1, keepdims=True)
        batches = tf.data.Dataset.from_tensor_slices((xs, ys)).repeat().batch(BATCH)
        x, y = batches.make_one_shot_iterator().get_next()
        loss = tf.reduce_mean(tf.square(inference(x) - y))
        train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=global_step)

        class _LoggerHook(tf.train.SessionRunHook):
            """Logs loss and runtime."""

            def begin(self):
                self._step = -1
                self._start_time = time.time()

            def before_run(self, run_context):
                self._step += 1
                return tf.train.SessionRunArgs(loss)  # Asks for loss value.

            def after_run(self, run_context, run_values):
                if self._step % FREQUENCY == 0:
                    current_time = time.time()
                    duration = current_time - self._start_time
                    self._start_time = current_time
                    loss_value = run_values.results
                    examples_per_sec = FREQUENCY * BATCH / duration
                    assert examples_per_sec > 0, datetime.now()
                    print("step %d, loss = %.5f" % (self._step, loss_value), file=told)

        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=directory,
                hooks=[tf.train.StopAtStepHook(last_step=100),
                       tf.train.NanTensorHook(loss),
                       _LoggerHook(), CountingHook(told)],
                save_summaries_steps=None,
                config=tf.ConfigProto(log_device_placement=False)) as mon_sess:
            while not mon_sess.should_stop():
                _, value = mon_sess.run([train_op, loss])
                print("trained %.5f" % value, file=told)
                if not mon_sess.should_stop():
                    print("at", mon_sess.run(global_step), file=told)
    told.close()


if __name__ == "__main__":
    train(sys.argv[1].split("=")[1])
