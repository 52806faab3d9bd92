"""Examples per second, by a timer and the global step; once more where training goes on."""

import contextlib
import io
import re

import numpy as np
import tensorflow as tf


class ExamplesPerSecondHook(tf.train.SessionRunHook):
  """Hook to print out examples per second.

  Total time is tracked and then divided by the total number of steps
  to get the average step time.
  """

  def __init__(self, batch_size, every_n_steps=None, every_n_secs=None, warm_steps=-1):
    if (every_n_steps is None) == (every_n_secs is None):
      raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")

    self._timer = tf.train.SecondOrStepTimer(
        every_steps=every_n_steps, every_secs=every_n_secs)

    self._step_train_time = 0
    self._total_steps = 0
    self._batch_size = batch_size
    self._warm_steps = warm_steps

  def begin(self):
    """Called once before using the session to check global step."""
    self._global_step_tensor = tf.train.get_global_step()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created to use StepCounterHook.")

  def before_run(self, run_context):  # pylint: disable=unused-argument
    """Called before each call to run()."""
    return tf.train.SessionRunArgs(self._global_step_tensor)

  def after_run(self, run_context, run_values):  # pylint: disable=unused-argument
    """Called after each call to run()."""
    global_step = run_values.results

    if self._timer.should_trigger_for_step(
        global_step) and global_step > self._warm_steps:
      elapsed_time, elapsed_steps = self._timer.update_last_triggered_step(global_step)
      if elapsed_time is not None:
        self._step_train_time += elapsed_time
        self._total_steps += elapsed_steps

        # average examples per second is based on the total (accumulative)
        # training steps and training time
        average_examples_per_sec = self._batch_size * (
            self._total_steps / self._step_train_time)
        # current examples per second is based on the elapsed training steps
        # and training time per batch
        current_examples_per_sec = self._batch_size * (elapsed_steps / elapsed_time)

        print("Average examples/sec: %g (%g), step = %g, after %d" % (
            average_examples_per_sec, current_examples_per_sec, global_step,
            self._total_steps))


class EpochPrinter(tf.train.SessionRunHook):
  """Says when it has seen all rows."""

  def __init__(self, steps_per_epoch):
    self.steps_per_epoch = steps_per_epoch
    self.first = None

  def begin(self):
    self.gs = tf.train.get_or_create_global_step()

  def after_create_session(self, session, coord):
    del coord
    self.first = session.run(self.gs)
    print("begins at", self.first, self.first.dtype)

  def before_run(self, run_context):
    # What has been done before this step.
    self.before = run_context.session.run(self.gs)

  def after_run(self, run_context, run_values):
    step = run_context.session.run(self.gs)
    if step % self.steps_per_epoch == 0:
      print("epoch %d done, steps %d to %d" % (
          step // self.steps_per_epoch, self.before, step))

  def end(self, session):
    step = session.run(self.gs)
    print("ends at", step, "after", step - self.first)


def model_fn(features, labels, mode):
  out = tf.layers.dense(features, 1, kernel_initializer=tf.zeros_initializer())
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=out)
  loss = tf.losses.mean_squared_error(labels, out)
  train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  x = np.arange(60, dtype=np.float32).reshape(20, 3) / 60
  return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(4)


def main(directory):
  estimator = tf.estimator.Estimator(model_fn, directory)
  for steps in (23, 10):
    hooks = [EpochPrinter(5)]
    hooks.append(ExamplesPerSecondHook(4, every_n_steps=6, warm_steps=7))
    estimator.train(input_fn, hooks, steps=steps)


def run(directory):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    main(directory)
  clock = re.compile(r"sec: [^,]*,")
  return {"lines": [clock.sub("sec,", line) for line in printed.getvalue().splitlines()]}
