"""Hooks that read variables and the global step from their session."""

import numpy as np
import tensorflow as tf

steps, weights, saved, ended = [], [], [], []


class StepReader(tf.train.SessionRunHook):
  """Reads the global step by itself, as TF1's own hooks did."""

  def __init__(self, every):
    self._every = every
    self._global_step = None

  def begin(self):
    self._global_step = tf.train.get_global_step()
    self._variables = [v for v in tf.trainable_variables() if "kernel" in v.name]

  def after_create_session(self, session, coord):
    steps.append(session.run(self._global_step))
    weights.append(session.run(self._variables)[0])

  def after_run(self, run_context, run_values):
    step = run_context.session.run(self._global_step)
    steps.append(step)
    if step % self._every == 0:
      session = run_context.session
      found = session.run({"weights": self._variables, "step": self._global_step})
      weights.append(found["weights"][0])

  def end(self, session):
    ended.append(session.run(tf.train.get_global_step()))
    ended.append(self._global_step.eval(session=session))


class Listener(tf.train.CheckpointSaverListener):
  def after_save(self, session, global_step_value):
    saved.append([global_step_value, session.run(tf.train.get_global_step())])


def model_fn(features, labels, mode):
  out = tf.layers.dense(
    features, 1, kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=1)
  )
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=out)
  loss = tf.losses.absolute_difference(labels, out)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
    loss, tf.train.get_global_step()
  )
  return tf.estimator.EstimatorSpec(
    mode, loss=loss, train_op=train_op, training_hooks=[StepReader(3)]
  )


def input_fn():
  rng = np.random.RandomState(0)
  x = rng.randn(40, 3).astype(np.float32)
  y = (x[:, :1] - x[:, 1:2]).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(8)


def run(directory):
  config = tf.estimator.RunConfig(save_checkpoints_steps=4)
  estimator = tf.estimator.Estimator(model_fn, directory, config)
  estimator.train(input_fn, steps=10, saving_listeners=[Listener()])
  estimator.train(input_fn, steps=2)
  return {
    "steps": steps,
    "weights": weights,
    "saved": saved,
    "ended": ended,
    "loss": estimator.evaluate(input_fn, steps=4)["loss"],
  }
