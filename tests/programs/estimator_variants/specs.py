"""TrainSpec and EvalSpec: when train_and_evaluate evaluates, for how long, and with which hooks."""

import glob
import os

import numpy as np
import tensorflow as tf

seen = []


class Watching(tf.train.SessionRunHook):

  def __init__(self, name):
    self.name = name

  def begin(self):
    seen.append(self.name + " begins")

  def after_create_session(self, session, coord):
    seen.append("%s at %d" % (self.name, session.run(tf.train.get_global_step())))

  def end(self, session):
    seen.append("%s ends at %d" % (
        self.name, session.run(tf.train.get_global_step())))


def model_fn(features, labels, mode):
  w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
  y = tf.matmul(features, w)
  loss = tf.losses.mean_squared_error(labels, y)
  train_op = tf.train.AdagradOptimizer(0.1).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      eval_metric_ops={"y": tf.metrics.mean(y)})


def rows(number, repeat=None):
  def input_fn():
    x = np.random.RandomState(number).randn(number, 2).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat(repeat).batch(4)

  return input_fn


def run(directory):
  cases = {
      "often": (dict(max_steps=12), dict(steps=2, throttle_secs=0)),
      "throttled": (dict(max_steps=12), dict(steps=2, throttle_secs=1000)),
      "all": (dict(max_steps=7), dict(steps=None, throttle_secs=0)),
      "until_input_ends": (dict(), dict(steps=None, throttle_secs=0)),
      "hooks": (
          dict(max_steps=6, hooks=[Watching("train")]),
          dict(hooks=[Watching("eval")], throttle_secs=0, name="n",
               start_delay_secs=0)),
  }
  found = {}
  for name in sorted(cases):
    train, evaluate = cases[name]
    del seen[:]
    estimator = tf.estimator.Estimator(
        model_fn, os.path.join(directory, name),
        tf.estimator.RunConfig(save_checkpoints_steps=4))
    repeat = 3 if name == "until_input_ends" else None
    result = tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(rows(20, repeat), **train),
        tf.estimator.EvalSpec(rows(10, 1), **evaluate))
    found[name] = sorted(result[0].items())[1][1]
    found[name + "/exports"] = len(result[1])
    steps = []
    for path in glob.glob(estimator.eval_dir(evaluate.get("name")) + "/events*"):
      for event in tf.train.summary_iterator(path):
        steps += [[event.step, v.simple_value] for v in event.summary.value
                  if v.tag == "loss"]
    found[name + "/evaluations"] = sorted(steps)
    found[name + "/seen"] = list(seen)
    # Once more: it is there already.
    again = tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(rows(20, repeat), max_steps=6),
        tf.estimator.EvalSpec(rows(10, 1), **evaluate))
    found[name + "/again"] = str(again[0] is None)
    found[name + "/step"] = estimator.get_variable_value("global_step")
  return found
