"""model_fn as a method and as a partial; raw variables, keep_prob, moving averages, hooks."""

from __future__ import print_function

import argparse
import functools
import os
import time

import numpy as np
import tensorflow as tf

ModeKeys = tf.estimator.ModeKeys


def weight_variable(shape, seed):
  initial = tf.truncated_normal(shape, stddev=0.3, seed=seed, name="weight")
  return tf.Variable(initial, name="weight")  # Which is weight_1.


def bias_variable(shape):
  initial = tf.constant(0.1, shape=shape)
  return tf.Variable(initial)


class TimeHook(tf.train.SessionRunHook):
  """Counts examples, and asks for the step only sometimes."""

  def __init__(self, batch_size, every=5):
    self._batch_size = batch_size
    self._timer = tf.train.SecondOrStepTimer(every_steps=every)
    self.seen = []
    self._started = None

  def begin(self):
    self._global_step_tensor = tf.train.get_global_step()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created.")

  def after_create_session(self, session, coord):
    self._started = time.time()

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._global_step_tensor)

  def after_run(self, run_context, run_values):
    step = run_values.results
    if self._timer.should_trigger_for_step(step):
      self._timer.update_last_triggered_step(step)
      self.seen.append((step, self._batch_size))

  def end(self, session):
    assert time.time() >= self._started


class StopWhenLow(tf.train.SessionRunHook):
  """Stops training when the loss, found by its name, is low."""

  def __init__(self, name, below):
    self._name, self._below = name, below
    self.losses = []

  def before_run(self, run_context):
    return tf.train.SessionRunArgs({"loss": self._name})

  def after_run(self, run_context, run_values):
    self.losses.append(run_values.results["loss"])
    if self.losses[-1] < self._below:
      run_context.request_stop()


class Network(object):
  """Two layers of raw variables."""

  def __init__(self, hidden):
    self.hidden = hidden

  def _layer(self, x, outputs, name, seed):
    with tf.variable_scope(name):
      w = weight_variable([x.get_shape()[1].value, outputs], seed)
      b = bias_variable([outputs])
      tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, 1e-3 * tf.nn.l2_loss(w))
      return tf.matmul(x, w) + b

  def model_fn(self, features, labels, mode, rate):
    train = mode == tf.estimator.ModeKeys.TRAIN
    x = tf.to_float(features["x"])
    h = tf.nn.relu(self._layer(x, self.hidden, "hidden", 1))
    h = tf.nn.dropout(h, 0.8 if mode == ModeKeys.TRAIN else 1.0, seed=9)
    predicted = tf.squeeze(self._layer(h, 1, "output", 2), axis=1)
    if mode == ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(ModeKeys.PREDICT, predicted)

    loss = tf.losses.huber_loss(labels, predicted, weights=features["weight"])
    loss = tf.add(
        loss, tf.reduce_sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)),
        name="total_loss")
    average = tf.train.ExponentialMovingAverage(0.9, tf.train.get_global_step())
    train_op = None
    scaffold = None
    if train:
      optimizer = tf.train.RMSPropOptimizer(rate, momentum=0.5)
      step = tf.train.get_global_step()
      minimize = optimizer.minimize(loss, step, var_list=tf.trainable_variables())
      with tf.control_dependencies([minimize]):
        train_op = average.apply(tf.trainable_variables())
    else:
      scaffold = tf.train.Scaffold(
          saver=tf.train.Saver(average.variables_to_restore()))
    summary = tf.summary.histogram("predicted", predicted)
    hooks = [
        tf.train.LoggingTensorHook({"total": loss}, every_n_iter=10),
        tf.train.SummarySaverHook(
            save_steps=10, output_dir=self.summaries, summary_op=summary),
    ]
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, training_hooks=hooks, scaffold=scaffold,
        eval_metric_ops={
            "rmse": tf.metrics.root_mean_squared_error(labels, predicted),
            "far": tf.metrics.percentage_below(tf.abs(labels - predicted), 0.5),
        } if mode == ModeKeys.EVAL else None)


def data(rows, seed):
  rng = np.random.RandomState(seed)
  x = rng.randint(-3, 4, size=(rows, 3))
  y = x.dot([0.5, -1.0, 0.25]) + 0.05 * rng.randn(rows)
  weight = rng.randint(3, size=rows).astype(np.float32)  # Some are zero.
  return {"x": x, "weight": weight}, y.astype(np.float32)


def input_fn(rows, seed, repeat, mode=None):
  features, labels = data(rows, seed)
  d = tf.data.Dataset.from_tensor_slices((features, labels))
  if repeat:
    d = d.repeat()
  iterator = tf.data.make_one_shot_iterator(d.batch(10))
  batch, labels = iterator.get_next()
  batch["x"] = tf.reverse(batch["x"], axis=[1])
  if mode == tf.estimator.ModeKeys.PREDICT:
    return batch
  return batch, labels


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("--dir")
  args, _ = parser.parse_known_args()
  network = Network(hidden=5)
  network.summaries = os.path.join(args.dir, "summaries")
  model_fn = functools.partial(network.model_fn, rate=0.01)
  config = tf.estimator.RunConfig().replace(
      save_checkpoints_steps=100, save_summary_steps=None, log_step_count_steps=None)
  estimator = tf.estimator.Estimator(model_fn, os.path.join(args.dir, "model"), config)
  times, stop = TimeHook(10), StopWhenLow("total_loss:0", -1.0)
  train = functools.partial(input_fn, 60, 1, True)
  estimator.train(
      train, hooks=[times, stop, tf.train.StopAtStepHook(last_step=40)])
  metrics = estimator.evaluate(functools.partial(input_fn, 35, 2, False), steps=3)
  predicted = list(estimator.predict(functools.partial(input_fn, 35, 2, False)))
  results = {"eval/" + name: value for name, value in metrics.items()}
  results["loss"] = stop.losses
  results["seen"] = times.seen
  results["predicted"] = predicted
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  np.savez(os.path.join(args.dir, "results.npz"), **results)


if __name__ == "__main__":
  main()
