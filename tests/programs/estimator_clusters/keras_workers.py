"""A compiled Keras model as the Estimator of two workers, by `--strategy`.

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

model = tf.keras.Sequential([
    tf.keras.layers.Dense(4, activation="tanh", input_shape=(4,), name="hidden"),
    tf.keras.layers.Dense(1, name="out"),
])
model.compile(tf.keras.optimizers.SGD(lr=0.05, momentum=0.9), "mse")
weights = np.random.RandomState(6)
model.set_weights([weights.rand(*w.shape) - 0.5 for w in model.get_weights()])


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
  x = rng.randn(60, 4).astype(np.float32)
  y = (x[:, :1] - 2 * x[:, 1:2]).astype(np.float32)
  dataset = tf.data.Dataset.from_tensor_slices(({"hidden_input": x}, y)).batch(5)
  if FLAGS.strategy == "servers":
    dataset = dataset.take(1)
  return dataset.repeat()


def strategy():
  if FLAGS.strategy == "servers":
    return None
  if FLAGS.strategy == "ring":
    return tf.distribute.experimental.MultiWorkerMirroredStrategy(
        tf.distribute.experimental.CollectiveCommunication.RING)
  return tf.distribute.experimental.MultiWorkerMirroredStrategy()


def main(_):
  directory = os.path.join(FLAGS.dir, "model")
  config = tf.estimator.RunConfig(
      model_dir=directory, save_checkpoints_steps=1, keep_checkpoint_max=0,
      train_distribute=strategy(), experimental_max_worker_delay_secs=0)
  estimator = tf.keras.estimator.model_to_estimator(model, config=config)
  task = json.loads(os.environ["TF_CONFIG"])["task"]
  worker = 0 if task["type"] == "chief" else 1 + task["index"]
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
            for name in ("hidden/kernel", "hidden/bias", "out/kernel", "out/bias")]))
    np.save(os.path.join(FLAGS.dir, "losses-0.npy"), found)


if __name__ == "__main__":
  tf.app.run()
