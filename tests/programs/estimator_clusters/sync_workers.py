"""A model_fn with SyncReplicasOptimizer: train_and_evaluate on a chief, a worker and a ps.

`--dir` is shared by the tasks of TF_CONFIG. A hook lets the workers keep pace: TF1's would
otherwise take several tokens in a step when one of them is faster.
"""

import os
import time

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("dir", None, "Where the model and the results are.")
tf.app.flags.DEFINE_boolean("sync", True, "Whether workers make every step together.")
tf.app.flags.DEFINE_integer("aggregate", 2, "How many gradients make a step.")
tf.app.flags.DEFINE_integer("steps", 8, "How many steps are made.")
FLAGS = tf.app.flags.FLAGS
WORKERS = 2


def batches(worker):
  rng = np.random.RandomState(10 + worker)
  x = rng.randn(60, 4).astype(np.float32)
  y = (x[:, :1] - 2 * x[:, 1:2]).astype(np.float32)
  dataset = tf.data.Dataset.from_tensor_slices(({"x": x}, y))
  return dataset.repeat().batch(5)


class KeepPace(tf.train.SessionRunHook):
  """Every worker waits until all have come to the same step."""

  def __init__(self, directory, worker):
    self._mark = os.path.join(directory, "pace-%d-%d")
    self._worker, self._step = worker, 0

  def before_run(self, run_context):
    self._step += 1
    open(self._mark % (self._worker, self._step), "w").close()
    for worker in range(WORKERS):
      deadline = time.time() + 60
      while (not os.path.exists(self._mark % (worker, self._step))
             and time.time() < deadline):
        time.sleep(0.01)


class Losses(tf.train.SessionRunHook):

  def __init__(self, loss, path):
    self._loss, self._path, self._seen = loss, path, []

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    self._seen.append(run_values.results)
    np.save(self._path, self._seen)


def model_fn(features, labels, mode, params, config):
  net = tf.layers.dense(
      features["x"], 3, activation=tf.nn.relu,
      kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=3))
  out = tf.layers.dense(
      net, 1, kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=2))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=out)
  loss = tf.losses.mean_squared_error(labels, out)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  optimizer = tf.train.MomentumOptimizer(params["rate"], 0.9)
  worker = config.global_id_in_cluster
  hooks = [Losses(loss, os.path.join(FLAGS.dir, "losses-%d.npy" % worker))]
  if FLAGS.sync:
    optimizer = tf.train.SyncReplicasOptimizer(
        optimizer, replicas_to_aggregate=FLAGS.aggregate,
        total_num_replicas=config.num_worker_replicas)
    hooks.append(optimizer.make_session_run_hook(config.is_chief, num_tokens=0))
    hooks.append(KeepPace(FLAGS.dir, worker))
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=hooks)


def main(_):
  tf.logging.set_verbosity(tf.logging.INFO)
  config = tf.estimator.RunConfig(
      model_dir=os.path.join(FLAGS.dir, "model"), save_checkpoints_steps=4,
      log_step_count_steps=2)
  estimator = tf.estimator.Estimator(model_fn, config=config, params={"rate": 0.05})
  worker = config.global_id_in_cluster
  tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(lambda: batches(worker or 0), max_steps=FLAGS.steps),
      tf.estimator.EvalSpec(lambda: batches(7), steps=3))


if __name__ == "__main__":
  tf.app.run()
