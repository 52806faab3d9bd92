"""Session run hooks."""

import time

import tensorflow as tf


class ExamplesCounterHook(tf.train.SessionRunHook):
  """Counts examples, and says now and then how many there were."""

  def __init__(self, batch_size, every_n_steps=None, every_n_secs=None):
    if (every_n_steps is None) == (every_n_secs is None):
      raise ValueError("give either every_n_steps or every_n_secs")
    self._timer = tf.train.SecondOrStepTimer(
        every_steps=every_n_steps, every_secs=every_n_secs)
    self._batch_size = batch_size
    self._total_steps = 0

  def begin(self):
    self._global_step_tensor = tf.train.get_global_step()
    if self._global_step_tensor is None:
      raise RuntimeError("there is no global step")

  def before_run(self, run_context):
    del run_context
    return tf.train.SessionRunArgs(self._global_step_tensor)

  def after_run(self, run_context, run_values):
    del run_context
    global_step = run_values.results
    if self._timer.should_trigger_for_step(global_step):
      _, steps = self._timer.update_last_triggered_step(global_step)
      if steps is not None:
        self._total_steps += steps
        print("%d: %d examples" % (global_step, steps * self._batch_size))
        tf.logging.info("examples: %d", self._total_steps * self._batch_size)

  def end(self, session):
    print("examples until", session.run(self._global_step_tensor))


class ThroughputHook(tf.train.SessionRunHook):
  """Counts, after some steps to get warm, by the step that the graph has."""

  def __init__(self, batch_size, warm_up=3):
    self._batch_size = batch_size
    self._warm_up = warm_up

  def after_create_session(self, session, coord):
    self._examples = 0

  def before_run(self, run_context):
    self._began = time.time()
    return tf.train.SessionRunArgs(fetches=["global_step:0"])

  def after_run(self, run_context, run_values):
    assert time.time() >= self._began
    step = run_values.results[0]
    if step > self._warm_up:
      self._examples += self._batch_size
      if step % 9 == 0:
        print("at %d: %d examples, warm" % (step, self._examples))


class LossLoggerHook(tf.train.SessionRunHook):
  """Prints the loss, and what else it is given."""

  def __init__(self, loss, others, every_n_steps=1):
    self._loss = loss
    self._others = others
    self._every_n_steps = every_n_steps

  def begin(self):
    self._step = -1
    self._started = time.time()

  def before_run(self, run_context):
    self._step += 1
    return tf.train.SessionRunArgs({"loss": self._loss, "others": self._others})

  def after_run(self, run_context, run_values):
    if self._step % self._every_n_steps:
      return
    assert time.time() >= self._started
    results = run_values.results
    told = ["%s %.4f" % (k, v) for k, v in sorted(results["others"].items())]
    print("step %d: loss %.4f, %s" % (
        self._step, results["loss"], ", ".join(told)))


class StopBelowHook(tf.train.SessionRunHook):
  """Stops as soon as the loss has been small for a while."""

  def __init__(self, loss, limit, patience=3):
    self._loss, self._limit, self._patience = loss, limit, patience
    self._seen = 0

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    self._seen = self._seen + 1 if run_values.results < self._limit else 0
    if self._seen >= self._patience:
      print("small enough")
      run_context.request_stop()


class BatchesHook(tf.train.SessionRunHook):
  """Counts the batches of an evaluation, or of training."""

  def __init__(self, what):
    self.what = what

  def begin(self):
    self.count = 0

  def after_run(self, run_context, run_values):
    self.count += 1

  def end(self, session):
    print(self.what, self.count)
