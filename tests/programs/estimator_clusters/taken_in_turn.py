"""An Estimator on a chief, a worker and a ps, which take their steps in turn.

A ready-made one, or one whose model_fn has an optimizer for each of two parts. All batches are the same, so that it does not matter whose turn it is. `--dir` is shared
by the tasks of TF_CONFIG.
"""

import fcntl
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("dir", None, "Where the model and the results are.")
tf.app.flags.DEFINE_string("model", "linear", "Which Estimator.")
FLAGS = tf.app.flags.FLAGS


class InTurn(tf.train.SessionRunHook):
  """One step at a time, in all processes; its loss goes to a file."""

  def before_run(self, run_context):
    self._turn = open(os.path.join(FLAGS.dir, "turn"), "w")
    fcntl.flock(self._turn, fcntl.LOCK_EX)
    return tf.train.SessionRunArgs(
        "mean_loss:0" if FLAGS.model == "parts" else "linear/head/weighted_loss/Sum:0")

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


def model_fn(features, labels, mode):
  """A wide and a deep part, each with an optimizer; one of these counts the step."""
  kind = tf.string_to_hash_bucket_fast(features["kind"], 5)
  with tf.variable_scope("wide"):
    weights = tf.get_variable("weights", [5, 1], initializer=tf.zeros_initializer())
    wide = tf.gather(weights, kind)
  with tf.variable_scope("deep"):
    net = tf.layers.dense(
        features["x"], 3, tf.nn.relu,
        kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=1))
    deep = tf.layers.dense(
        net, 1, kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=2))
  loss = tf.losses.sigmoid_cross_entropy(tf.expand_dims(labels, 1), wide + deep)
  loss = tf.identity(loss, name="mean_loss")
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  wide_op = tf.train.FtrlOptimizer(0.2).minimize(
      loss, var_list=tf.trainable_variables("wide"))
  deep_op = tf.train.AdagradOptimizer(0.2).minimize(
      loss, tf.train.get_global_step(), var_list=tf.trainable_variables("deep"))
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=tf.group(wide_op, deep_op))


def main(_):
  config = tf.estimator.RunConfig(
      model_dir=os.path.join(FLAGS.dir, "model"), save_checkpoints_steps=50,
      experimental_max_worker_delay_secs=0)
  columns = [
      tf.feature_column.numeric_column("x", shape=2),
      tf.feature_column.categorical_column_with_hash_bucket("kind", 5),
  ]
  if FLAGS.model == "parts":
    estimator = tf.estimator.Estimator(model_fn, config=config)
  else:
    estimator = tf.estimator.LinearClassifier(columns, config=config)
  tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(input_fn, max_steps=20, hooks=[InTurn()]),
      tf.estimator.EvalSpec(input_fn, steps=1))


if __name__ == "__main__":
  tf.app.run()
