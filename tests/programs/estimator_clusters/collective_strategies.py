"""Workers that keep pace as a strategy of RunConfig, by `--strategy`; no ps.

`--dir` is shared by the tasks of TF_CONFIG. Each writes the losses of its own batches.
"""

import json
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("dir", None, "Where the model and the results are.")
tf.app.flags.DEFINE_string("strategy", "ring", "Which strategy.")
FLAGS = tf.app.flags.FLAGS


def batches(worker):
  rng = np.random.RandomState(10 + worker)
  x = rng.randn(60, 4).astype(np.float32)
  y = (x[:, :1] - 2 * x[:, 1:2]).astype(np.float32)
  dataset = tf.data.Dataset.from_tensor_slices(({"x": x}, y))
  return dataset.repeat().batch(5)


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
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=hooks)


def strategy():
  if FLAGS.strategy == "contrib":
    return tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=0)
  return tf.distribute.experimental.MultiWorkerMirroredStrategy(
      tf.distribute.experimental.CollectiveCommunication.RING)


def main(_):
  tf.logging.set_verbosity(tf.logging.INFO)
  config = tf.estimator.RunConfig(
      model_dir=os.path.join(FLAGS.dir, "model"), save_checkpoints_steps=4,
      log_step_count_steps=2, train_distribute=strategy())
  estimator = tf.estimator.Estimator(model_fn, config=config, params={"rate": 0.05})
  # With such a strategy, TensorFlow 1's RunConfig did not say which task this is.
  task = json.loads(os.environ["TF_CONFIG"])["task"]
  worker = 0 if task["type"] == "chief" else 1 + task["index"]
  tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(lambda: batches(worker), max_steps=8),
      tf.estimator.EvalSpec(lambda: batches(7), steps=3))


if __name__ == "__main__":
  tf.app.run()
