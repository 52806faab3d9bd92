"""Parameter servers as a strategy of RunConfig, by three names; steps taken in turn.

All batches are the same, so that it does not matter whose turn it is. `--dir` is shared
by the tasks of TF_CONFIG.
"""

import fcntl
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("dir", None, "Where the model and the results are.")
tf.app.flags.DEFINE_string("strategy", "experimental", "By which name.")
FLAGS = tf.app.flags.FLAGS


class InTurn(tf.train.SessionRunHook):
  """One step at a time, in all processes; its loss goes to a file."""

  def before_run(self, run_context):
    self._turn = open(os.path.join(FLAGS.dir, "turn"), "w")
    fcntl.flock(self._turn, fcntl.LOCK_EX)
    return tf.train.SessionRunArgs("linear/head/weighted_loss/Sum:0")

  def after_run(self, run_context, run_values):
    with open(os.path.join(FLAGS.dir, "losses"), "a") as losses:
      losses.write("%.9g\n" % run_values.results)
    self._turn.close()

  def end(self, session):
    self._turn.close()


def input_fn():
  rng = np.random.RandomState(0)
  features = {
      "x": rng.randn(16, 2).astype(np.float32),
      "kind": rng.choice(["a", "b", "c"], 16),
  }
  labels = (features["x"][:, 0] > 0.2).astype(np.int64)
  return tf.data.Dataset.from_tensors((features, labels)).repeat()


def strategies():
  if FLAGS.strategy == "experimental":
    return {"train_distribute": tf.distribute.experimental.ParameterServerStrategy()}
  strategy = tf.contrib.distribute.ParameterServerStrategy(num_gpus_per_worker=0)
  if FLAGS.strategy == "contrib":
    return {"train_distribute": strategy}
  return {"experimental_distribute": tf.contrib.distribute.DistributeConfig(
      train_distribute=strategy)}


def main(_):
  config = tf.estimator.RunConfig(
      model_dir=os.path.join(FLAGS.dir, "model"), save_checkpoints_steps=50,
      experimental_max_worker_delay_secs=0, **strategies())
  columns = [
      tf.feature_column.numeric_column("x", shape=2),
      tf.feature_column.categorical_column_with_hash_bucket("kind", 5),
  ]
  estimator = tf.estimator.LinearClassifier(columns, config=config)
  tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(input_fn, max_steps=20, hooks=[InTurn()]),
      tf.estimator.EvalSpec(input_fn, steps=1))


if __name__ == "__main__":
  tf.app.run()
