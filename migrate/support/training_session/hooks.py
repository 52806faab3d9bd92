"""What is done beside the steps: stopping, logging, saving, measuring."""

import os
import threading
import time

import numpy as np
import tensorflow as tf

from .checkpoints import Saver
from .summaries import SummaryWriter

Timer = tf.compat.v1.train.SecondOrStepTimer
_writers = {}  # By directory: TensorBoard follows only its newest event file.
_one_at_a_time = threading.Lock()


def writer_of(directory):
    """The writer of a directory's event file, which all hooks share."""
    # Only for __init__.SummarySaverHook or __init__.StepCounterHook or __init__.hooks.
    if not directory:
        return None
    make = tf.compat.v1.summary.FileWriter
    # Only for summaries.SummaryWriter.
    make = SummaryWriter
    key = directory if "://" in directory else os.path.abspath(directory)
    with _one_at_a_time, tf.Graph().as_default():  # In eager mode there is none.
        if key not in _writers:
            _writers[key] = make(directory)
        return _writers[key]


class Hook:
    """What a session calls: begin once, before and after every run, end once.

    `recovered` is called if variables were lost and restored, before the next run.
    `step` is the global step after the run.
    """

    def begin(self, sess): ...

    def recovered(self, sess): ...

    def before_run(self, sess): ...

    def after_run(self, sess, step, results): ...

    def end(self, sess): ...


class StopAtStepHook(Hook):
    """Stops when the global step has reached `last_step`, or `num_steps` more than now."""

    def __init__(self, num_steps=None, last_step=None):
        # Only for StopAtStepHook(num_steps).
        if (num_steps is None) == (last_step is None):
            raise ValueError("exactly one of num_steps and last_step is needed")
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self, sess):
        sess.global_step()  # As in TF1 there must be one.
        # Only for StopAtStepHook(num_steps).
        if self._last_step is None:
            self._last_step = sess.global_step() + self._num_steps

    def after_run(self, sess, step, results):
        if step >= self._last_step:
            sess.request_stop()


class LoggingTensorHook(Hook):
    """Logs observed values every so many runs of this worker, or seconds.

    Every run counts. When the one that is due does not compute the values, the next
    that does is logged.
    """

    def __init__(
        self,
        tensors,
        every_n_iter=None,
        every_n_secs=None,
        at_end=False,
        formatter=None,
    ):
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}")
        self._keys = sorted(tensors) if isinstance(tensors, dict) else list(tensors)
        self._formatter = formatter
        self._at_end = at_end
        self._periodic = not (at_end and every_n_iter is None and every_n_secs is None)
        self._timer = Timer(every_n_secs, every_n_iter) if self._periodic else None
        self._runs, self._last = 0, None

    def after_run(self, sess, step, results):
        values = results["observed"]
        if all(key in values for key in self._keys):
            self._last = {key: values[key] for key in self._keys}
            if self._periodic and self._timer.should_trigger_for_step(self._runs):
                self._log()
        self._runs += 1

    def _log(self):
        seconds = None
        if self._periodic:
            seconds, _ = self._timer.update_last_triggered_step(self._runs)
        with np.printoptions(suppress=True):
            text = ", ".join(f"{key} = {self._last[key]!s}" for key in self._keys)
            if seconds is not None:
                text += f" ({seconds:.3f} sec)"
            # Only for LoggingTensorHook(formatter).
            if self._formatter:
                text = self._formatter(self._last)
        tf.compat.v1.logging.info("%s", text)

    def end(self, sess):
        if self._last is None:
            tf.compat.v1.logging.warning("no run computed all of %s", self._keys)
        elif self._at_end:
            self._log()


class NanTensorHook(Hook):
    """Fails, or stops, when the observed loss is not a number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._key, self._fail = loss_tensor, fail_on_nan_loss

    def after_run(self, sess, step, results):
        value = results["observed"].get(self._key)
        if value is not None and np.isnan(value):
            message = "Model diverged with loss = NaN."
            if self._fail:
                tf.compat.v1.logging.error(message)
                raise NanLossDuringTrainingError("NaN loss during training.")
            tf.compat.v1.logging.warning(message)
            sess.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """The loss is NaN."""


class CheckpointSaverHook(Hook):
    """Saves at the start, then every so many steps or seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir,
        save_secs=None,
        save_steps=None,
        saver=None,
        checkpoint_basename="model.ckpt",
        scaffold=None,
        listeners=None,
    ):
        # Only for CheckpointSaverHook(listeners).
        if listeners:
            raise ValueError("CheckpointSaverListener is not supported")
        # Only for CheckpointSaverHook(scaffold).
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._directory = checkpoint_dir
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = Timer(save_secs, save_steps)
        # Only for CheckpointSaverHook(scaffold).
        saver = scaffold.saver if scaffold else saver
        # Only for __init__.CheckpointSaverHook or __init__.hooks.
        saver = saver or Saver()
        self._saver = saver

    def begin(self, sess):
        self._save(sess, sess.global_step())

    recovered = begin

    def after_run(self, sess, step, results):
        if self._timer.should_trigger_for_step(step):
            self._save(sess, step)

    def end(self, sess):
        self.save_last(sess)
        writer_of(self._directory).flush()

    def save_last(self, sess):
        """Saves where the last step is not saved yet."""
        step = sess.global_step()
        if step != self._timer.last_triggered_step():
            self._save(sess, step)

    def _save(self, sess, step):
        self._timer.update_last_triggered_step(step)
        info = tf.compat.v1.logging.info
        info("Saving checkpoints for %d into %s.", step, self._path)
        self._saver.save(sess, self._path, step)
        log = tf.compat.v1.SessionLog(
            status=tf.compat.v1.SessionLog.CHECKPOINT, checkpoint_path=self._path
        )
        writer_of(self._directory).add_session_log(log, step)


class SummarySaverHook(Hook):
    """Writes the step's summaries at the first run, then every so many steps or seconds."""

    def __init__(
        self,
        save_steps=None,
        save_secs=None,
        output_dir=None,
        summary_writer=None,
        scaffold=None,
        summary_op=None,
    ):
        self._timer = Timer(save_secs, save_steps)
        self._key = summary_op
        self._writer = summary_writer or writer_of(output_dir)
        self._started = False

    def after_run(self, sess, step, results):
        # Only for __init__.SummarySaverHook or __init__.hooks.
        if self._writer is None:
            return
        if not self._started:
            self._started = True
            start = tf.compat.v1.SessionLog(status=tf.compat.v1.SessionLog.START)
            self._writer.add_session_log(start, step)
        value = results.get("summaries")
        # Only for SummarySaverHook(summary_op).
        if self._key:
            value = results["observed"].get(self._key)
        if value is not None and self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            self._writer.add_summary(value, step)

    def end(self, sess):
        # Head only for __init__.SummarySaverHook or __init__.hooks.
        if self._writer:
            self._writer.flush()


class StepCounterHook(Hook):
    """Logs, and writes as a summary, the global steps per second."""

    def __init__(
        self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None
    ):
        self._timer = Timer(every_n_secs, every_n_steps)
        self._writer = summary_writer or writer_of(output_dir)

    def after_run(self, sess, step, results):
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds:
            summary = tf.compat.v1.Summary()
            summary.value.add(tag="global_step/sec", simple_value=steps / seconds)
            tf.compat.v1.logging.info("global_step/sec: %g", steps / seconds)
            # Head only for __init__.StepCounterHook or __init__.hooks.
            if self._writer:
                self._writer.add_summary(summary, step)

    def end(self, sess):
        # Head only for __init__.StepCounterHook or __init__.hooks.
        if self._writer:
            self._writer.flush()


class ProfilerHook(Hook):
    """Profiles a step every so many steps or seconds; TensorBoard shows the traces."""

    def __init__(
        self,
        save_steps=None,
        save_secs=None,
        output_dir="",
        show_dataflow=True,
        show_memory=False,
    ):
        self._timer = Timer(save_secs, save_steps)
        self._directory = output_dir or "."
        self._next, self._running = None, False

    def before_run(self, sess):
        if self._next is not None and self._timer.should_trigger_for_step(self._next):
            try:
                tf.profiler.experimental.start(self._directory)
            except tf.errors.AlreadyExistsError:
                return  # Another worker's thread is at it; try again in the next run.
            self._running = True

    def after_run(self, sess, step, results):
        if self._running:
            tf.profiler.experimental.stop()
            self._running = False
            self._timer.update_last_triggered_step(step)
        elif self._next is None:
            self._timer.update_last_triggered_step(
                step
            )  # TF1 traces nothing in the first run either.
        self._next = step + 1

    def end(self, sess):
        if self._running:
            tf.profiler.experimental.stop()
            self._running = False


class GlobalStepWaiterHook(Hook):
    """Starts this worker only when the global step has reached `wait_until_step`."""

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step

    def before_run(self, sess):
        if self._wait_until_step <= 0:
            return
        tf.compat.v1.logging.info(
            "Waiting for global step %d before starting training.",
            self._wait_until_step,
        )
        while sess.global_step() < self._wait_until_step and not sess.should_stop():
            time.sleep(0.5)
        self._wait_until_step = 0
