"""A model_fn that looks words up, as the Estimator of two workers, by `--strategy`.

With parameter servers the workers take their steps in turn, and all batches are the same,
so that it does not matter whose turn it is. `--dir` is shared by the tasks of TF_CONFIG.
The chief writes the weights that it saved, each time after their step.
"""

import fcntl
import json
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("dir", None, "Where the model and the results are.")
tf.app.flags.DEFINE_string("strategy", "servers", "Which strategy.")
FLAGS = tf.app.flags.FLAGS

WORDS = ["red", "green", "blue"]


def drawn(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def model_fn(features, labels, mode, params):
  words = tf.contrib.lookup.index_table_from_file(params["words"], num_oov_buckets=2)
  classes = tf.contrib.lookup.index_table_from_tensor(["low", "high"])
  table = tf.get_variable("table", [5, 4], initializer=drawn(1))
  net = tf.reduce_sum(tf.nn.embedding_lookup(table, words.lookup(features["words"])), 1)
  logits = tf.layers.dense(net, 2, name="out", kernel_initializer=drawn(2))
  targets = classes.lookup(labels)
  loss = tf.losses.sparse_softmax_cross_entropy(targets, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
        "accuracy": tf.metrics.accuracy(targets, tf.argmax(logits, 1))})
  optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class InTurn(tf.train.SessionRunHook):
  """One step at a time, in all processes; until the chief has saved it."""

  def before_run(self, run_context):
    self._turn = open(os.path.join(FLAGS.dir, "turn"), "w")
    fcntl.flock(self._turn, fcntl.LOCK_EX)

  def after_run(self, run_context, run_values):
    self._turn.close()

  def end(self, session):
    self._turn.close()


def batches(worker):
  rng = np.random.RandomState(10 + worker)
  words = np.array(WORDS + ["pink", "teal"])[rng.randint(5, size=(60, 3))]
  labels = np.array(["low", "high"])[(words == "red").any(1).astype(int)]
  dataset = tf.data.Dataset.from_tensor_slices(({"words": words}, labels)).batch(5)
  if FLAGS.strategy == "servers":
    dataset = dataset.take(1)
  return dataset.repeat()


def strategy():
  if FLAGS.strategy == "servers":
    return None
  return tf.distribute.experimental.MultiWorkerMirroredStrategy()


def main(_):
  directory = os.path.join(FLAGS.dir, "model")
  config = tf.estimator.RunConfig(
      model_dir=directory, save_checkpoints_steps=1, keep_checkpoint_max=0,
      train_distribute=strategy(), experimental_max_worker_delay_secs=0)
  task = json.loads(os.environ["TF_CONFIG"])["task"]
  worker = 0 if task["type"] == "chief" else 1 + task["index"]
  path = os.path.join(FLAGS.dir, "words-%d.txt" % worker)
  with open(path, "w") as out:
    out.write("\n".join(WORDS) + "\n")
  estimator = tf.estimator.Estimator(model_fn, config=config, params={"words": path})
  hooks = [InTurn()] if FLAGS.strategy == "servers" else None
  tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(
          lambda: batches(0 if hooks else worker), max_steps=12, hooks=hooks),
      tf.estimator.EvalSpec(lambda: batches(7), steps=3))
  if task["type"] == "chief":
    found = []
    for step in range(1, 14):
      path = os.path.join(directory, "model.ckpt-%d" % step)
      if tf.train.checkpoint_exists(path):
        found.append(np.concatenate([[step]] + [
            tf.train.load_variable(path, name).ravel()
            for name in ("table", "out/kernel", "out/bias")]))
    np.save(os.path.join(FLAGS.dir, "losses-0.npy"), found)


if __name__ == "__main__":
  tf.app.run()
