"""A hook that writes the loss of each step, and the sum of a variable at the end."""
import tensorflow as tf


class LogHook(tf.train.SessionRunHook):
    def __init__(self, loss, variable, path):
        self._loss = loss
        self._variable = variable
        self._path = path

    def begin(self):
        self._file = open(self._path, "w")
        self._step = 0

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"loss": self._loss})

    def after_run(self, run_context, run_values):
        self._file.write("%d %r\n" % (self._step, float(run_values.results["loss"])))
        self._step += 1

    def end(self, session):
        self._file.write("%d %r\n" % (self._step, float(session.run(self._variable).sum())))
        self._file.close()
