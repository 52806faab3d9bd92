"""Hooks that write summaries, set variables, and count examples with a timer."""

import glob

import numpy as np
import tensorflow as tf
seen = []


class Base(tf.train.SessionRunHook):
  """What several hooks share."""
  def __init__(self, directory):
    self.directory = directory
  def begin(self):
    self.writer = tf.summary.FileWriterCache.get(self.directory)
    self.step = tf.train.get_or_create_global_step()


class Writer(Base):
  def begin(self):
    super(Writer, self).begin()
    self.loss = tf.get_collection(tf.GraphKeys.LOSSES)[0]
  def before_run(self, run_context):
    return tf.train.SessionRunArgs([self.loss, self.step])
  def after_run(self, run_context, run_values):
    loss, step = run_values.results
    summary = tf.Summary(value=[tf.Summary.Value(tag="my/loss", simple_value=2 * loss)])
    self.writer.add_summary(summary, step)
  def end(self, session):
    self.writer.flush()


class Own(tf.train.SessionRunHook):
  def __init__(self, directory):
    self.writer = tf.summary.FileWriter(directory, tf.get_default_graph())
    self.n = 0
  def after_run(self, run_context, run_values):
    self.n += 1
    summary = tf.Summary()
    summary.value.add(tag="n", simple_value=self.n)
    self.writer.add_summary(summary, global_step=self.n)
  def end(self, session):
    self.writer.close()


class ExamplesPerSecondHook(tf.train.SessionRunHook):
  def __init__(self, batch_size, every_n_steps=None, every_n_secs=None, warm_steps=0):
    if (every_n_steps is None) == (every_n_secs is None):
      raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
    self._timer = tf.train.SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
    self._step_train_time = 0
    self._total_steps = 0
    self._batch_size = batch_size
    self._warm_steps = warm_steps

  def begin(self):
    self._global_step_tensor = tf.train.get_global_step()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created to use StepCounterHook.")

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._global_step_tensor)

  def after_run(self, run_context, run_values):
    global_step = run_values.results
    if self._timer.should_trigger_for_step(global_step) and global_step > self._warm_steps:
      elapsed_time, elapsed_steps = self._timer.update_last_triggered_step(global_step)
      if elapsed_time is not None:
        self._step_train_time += elapsed_time
        self._total_steps += elapsed_steps
        seen.append([global_step, elapsed_steps, self._total_steps])
        tf.logging.info("%g examples/sec", self._batch_size * elapsed_steps / elapsed_time)


class RateSetter(tf.train.SessionRunHook):
  def __init__(self, rate):
    self.rate = rate
    self.value = 0.2
  def before_run(self, run_context):
    if self.value is not None:
      self.rate.load(self.value, run_context.session)
      self.value = None
    return tf.train.SessionRunArgs(tf.train.get_global_step())
  def after_run(self, run_context, run_values):
    step = run_values.results
    self.value = 0.01 if step == 2 else None


class StopOp(tf.train.SessionRunHook):

  def begin(self):
    self._v = tf.get_variable(
        "STOP", [], tf.bool, tf.constant_initializer(False), trainable=False)
    self._op = tf.assign(self._v, True)
    self._step = tf.train.get_global_step()

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._step)

  def after_run(self, run_context, run_values):
    if run_values.results == 12:
      run_context.session.run(self._op)
      run_context.request_stop()


class RateByPlaceholder(tf.train.SessionRunHook):

  def __init__(self, rate):
    self.rate = rate

  def begin(self):
    self.new = tf.placeholder(tf.float32, [])
    self.update = tf.assign(self.rate, self.new)
    self.step = tf.train.get_global_step()

  def after_run(self, run_context, run_values):
    step = run_context.session.run(self.step)
    if step == 8:
      run_context.session.run(self.update, feed_dict={self.new: 0.05})


def model_fn(features, labels, mode):
  w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
  loss = tf.losses.mean_squared_error(labels, tf.matmul(features, w))
  rate = tf.get_variable(
      "rate", [], trainable=False, initializer=tf.constant_initializer(0.1))
  train_op = tf.train.GradientDescentOptimizer(rate).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=[RateSetter(rate), RateByPlaceholder(rate)])


def input_fn():
  x = np.arange(40).reshape(20, 2).astype(np.float32) / 40
  return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(4)


def events(d):
  r = []
  for path in sorted(glob.glob(d + "/events*")):
    for e in tf.train.summary_iterator(path):
      for v in e.summary.value:
        r.append([e.step, v.simple_value])
  return r


def run(directory):
  estimator = tf.estimator.Estimator(model_fn, directory)
  hooks = [
      Writer(directory + "/a"),
      Own(directory + "/b"),
      ExamplesPerSecondHook(4, every_n_steps=3, warm_steps=2),
      StopOp(),
  ]
  estimator.train(input_fn, steps=14, hooks=hooks)
  return {
      "a": events(directory + "/a"),
      "b": events(directory + "/b"),
      "seen": seen,
      "w": estimator.get_variable_value("w"),
      "rate": estimator.get_variable_value("rate"),
      "stop": estimator.get_variable_value("STOP"),
      "step": estimator.get_variable_value("global_step"),
  }
