"""Hooks of every common kind around a SingularMonitoredSession."""
import sys

import numpy as np
import tensorflow as tf

DIRECTORY = sys.argv[1].split("=")[1]


def tell(text, *values):
    with open(DIRECTORY + "/told.0", "a") as file:
        print(text % values, file=file)


class EarlyStoppingHook(tf.train.SessionRunHook):
    """Stops when the loss has not become better for some steps."""

    def __init__(self, loss, patience=3, min_delta=1e-3):
        super(EarlyStoppingHook, self).__init__()
        self._loss = loss
        self._patience = patience
        self._min_delta = min_delta

    def begin(self):
        self._best = float("inf")
        self._wait = 0
        self._step_tensor = tf.train.get_or_create_global_step()

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"loss": self._loss, "step": self._step_tensor})

    def after_run(self, run_context, run_values):
        values = run_values.results
        if values["loss"] < self._best - self._min_delta:
            self._best, self._wait = values["loss"], 0
            return
        self._wait += 1
        if self._wait >= self._patience:
            tell("stopping at step %d, best %.5f", values["step"], self._best)
            run_context.request_stop()


class SummaryHook(tf.train.SessionRunHook):
    """Writes the merged summaries every few steps."""

    def __init__(self, summary_op, directory, every):
        self._summary_op = summary_op
        self._directory = directory
        self._every = every
        self._writer = None

    def begin(self):
        self._global_step = tf.train.get_global_step()
        if self._global_step is None:
            raise RuntimeError("Global step should be created to use SummaryHook.")
        self._writer = tf.summary.FileWriter(self._directory)
        self._last = None
        self._due = True

    def before_run(self, run_context):
        requests = {"global_step": self._global_step}
        if self._due:
            requests["summary"] = self._summary_op
        return tf.train.SessionRunArgs(requests)

    def after_run(self, run_context, run_values):
        step = run_values.results["global_step"]
        if "summary" in run_values.results:
            self._writer.add_summary(run_values.results["summary"], step)
            tell("summary at %d", step)
        self._due = (step + 1) % self._every == 0

    def end(self, session):
        self._writer.flush()
        self._writer.close()


class WeightsHook(tf.train.SessionRunHook):
    """Tells the weights now and then, and at the end."""

    def __init__(self, weights, every=4):
        self.weights = weights
        self.every = every
        self.count = 0

    def after_create_session(self, session, coord):
        tell("begins with" + 5 * " %.4f", *session.run(self.weights).ravel())

    def before_run(self, run_context):
        self.count += 1

    def after_run(self, run_context, run_values):
        assert run_values.results is None
        if self.count % self.every == 0:
            self._tell(run_context.session)

    def end(self, session):
        step = session.run(tf.train.get_global_step())
        tell("ended at %d", step)
        self._tell(session)

    def _tell(self, session):
        tell("weights" + 5 * " %.4f", *self.weights.eval(session=session).ravel())


def main(directory):
    rng = np.random.RandomState(0)
    xs = rng.randn(40, 5).astype(np.float32)
    ys = xs.sum(1, keepdims=True)
    x = tf.placeholder(tf.float32, [None, 5])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    error = tf.reduce_mean(tf.abs(tf.matmul(x, w) - y))
    tf.summary.scalar("loss", loss)
    tf.summary.scalar("error", error)
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.3, global_step, 2, 0.7)
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)

    class RateHook(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return tf.train.SessionRunArgs([rate, (loss, error)])

        def after_run(self, run_context, run_values):
            now, (value, wrong) = run_values.results
            tell("rate %.5f loss %.5f error %.5f", now, value, wrong)

    hooks = [EarlyStoppingHook(loss, patience=2, min_delta=0.002),
             SummaryHook(tf.summary.merge_all(), directory, every=3),
             RateHook()]
    hooks.append(WeightsHook(w))
    with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
        step = 0
        while not sess.should_stop():
            at = 8 * (step % 5)
            _, value = sess.run([train_op, loss], {x: xs[at:at + 8], y: ys[at:at + 8]})
            step += 1
            if step % 5 == 0:
                tell("all: %.5f", sess.run(error, {x: xs, y: ys}))
    tell("steps %d", step)


if __name__ == "__main__":
    main(DIRECTORY)
