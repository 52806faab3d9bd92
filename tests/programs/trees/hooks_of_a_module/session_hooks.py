"""Hooks that several programs have."""
import time

import tensorflow as tf


class LossWriter(tf.train.SessionRunHook):
    """Writes the loss of every step, and how long it took it to be told."""

    def __init__(self, loss, path):
        self._loss = loss
        self._path = path

    def begin(self):
        self._step = -1
        self._file = open(self._path, "w")
        self._start_time = time.time()

    def before_run(self, run_context):
        self._step += 1
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        duration = time.time() - self._start_time
        assert duration > 0
        self._write(run_values)

    def end(self, session):
        self._file.close()

    def _write(self, run_values):
        self._file.write("%d %r\n" % (self._step, float(run_values.results)))


class StopBelow(tf.train.SessionRunHook):
    """Stops when a value has been below a bound for some steps."""

    def __init__(self, value, bound, patience=2):
        self.value, self.bound = value, bound
        self.patience = patience
        self.below = 0

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"value": self.value, "step": tf.train.get_global_step()})

    def after_run(self, run_context, run_values):
        self.below = self.below + 1 if run_values.results["value"] < self.bound else 0
        if self.below >= self.patience and run_values.results["step"] > 3:
            run_context.request_stop()
