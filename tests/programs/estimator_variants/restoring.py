"""Hooks that restore: averages for an evaluation, a part of another model for a training."""

import numpy as np
import tensorflow as tf

seen = []


class RestoreAverages(tf.train.SessionRunHook):
  """Evaluates with the averages of the variables."""

  def __init__(self, model_dir):
    super(RestoreAverages, self).__init__()
    self.model_dir = model_dir

  def begin(self):
    ema = tf.train.ExponentialMovingAverage(decay=0.9)
    self.load = tf.contrib.framework.assign_from_checkpoint_fn(
        tf.train.latest_checkpoint(self.model_dir), ema.variables_to_restore())

  def after_create_session(self, sess, coord):
    self.load(sess)


class RestoreBase(tf.train.SessionRunHook):
  """Takes a part of another model, at the beginning."""

  def __init__(self, init_fn):
    self.init_fn = init_fn

  def after_create_session(self, session, coord=None):
    if session.run(tf.train.get_or_create_global_step()) == 0:
      self.init_fn(session)


class RestoreByName(tf.train.SessionRunHook):

  def __init__(self, model_dir, scope):
    self.model_dir, self.scope = model_dir, scope

  def begin(self):
    variables = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=self.scope)
    self.saver = tf.train.Saver(variables)

  def after_create_session(self, session, coord):
    self.saver.restore(session, tf.train.latest_checkpoint(self.model_dir))
    seen.append(len(session.run(tf.global_variables())))
    seen.append(np.sum(session.run(tf.trainable_variables())[0]))


class Losses(tf.train.SessionRunHook):
  """Finds its tensor in the session's graph."""

  def before_run(self, run_context):
    graph = run_context.session.graph
    assert tf.get_collection(tf.GraphKeys.LOSSES)
    return tf.train.SessionRunArgs(graph.get_collection(tf.GraphKeys.LOSSES)[0])

  def after_run(self, run_context, run_values):
    seen.append(run_values.results)


def model_fn(features, labels, mode, params):
  with tf.variable_scope("base"):
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
  b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
  loss = tf.losses.mean_squared_error(labels, tf.matmul(features, w) + b)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_global_step())
  with tf.control_dependencies([train_op]):
    ema = tf.train.ExponentialMovingAverage(decay=0.9)
    train_op = ema.apply(tf.trainable_variables())
  hooks = []
  if params.get("start"):
    hooks.append(RestoreBase(tf.contrib.framework.assign_from_checkpoint_fn(
        params["start"], {"base/w": w, "no_such": b}, ignore_missing_vars=True)))
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=hooks)


def input_fn():
  x = np.arange(40).reshape(20, 2).astype(np.float32) / 40
  return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(4)


def run(directory):
  first = tf.estimator.Estimator(model_fn, directory + "/a", params={})
  first.train(input_fn, steps=6, hooks=[Losses()])
  found = {"seen": seen}
  found["plain"] = first.evaluate(input_fn, steps=3)["loss"]
  found["averages"] = first.evaluate(
      input_fn, steps=3, hooks=[RestoreAverages(directory + "/a")])["loss"]
  params = {"start": first.latest_checkpoint()}
  other = tf.estimator.Estimator(model_fn, directory + "/b", params=params)
  other.train(input_fn, steps=2)
  other.train(input_fn, steps=2)
  third = tf.estimator.Estimator(model_fn, directory + "/c", params={})
  third.train(input_fn, steps=2, hooks=[RestoreByName(directory + "/a", "base")])
  for name, estimator in (("b", other), ("c", third)):
    for variable in estimator.get_variable_names():
      found[name + "/" + variable] = estimator.get_variable_value(variable)
  return found
