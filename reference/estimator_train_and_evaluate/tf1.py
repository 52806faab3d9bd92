"""A small regression as an Estimator: trained, evaluated at every checkpoint, asked.

The model_fn has the three modes; train_and_evaluate saves every so many steps and
evaluates rows that training has not seen. With TF_CONFIG the same program trains on a
cluster.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("checkpoint_dir", None, "The Estimator's model_dir")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_string("optimizer", "adagrad", "adagrad, sgd, momentum or adam")
flags.DEFINE_integer("train_steps", 60, "Number of training steps")

FLAGS = flags.FLAGS

TRAIN_X = [[1.0, 2.0], [-1.5, 0.5], [0.25, -1.0]]
TRAIN_Y = [[3.0], [-0.5], [0.75]]
EVAL_X = [[0.5, 0.5], [2.0, -1.0], [-1.0, -2.0], [1.5, 1.0]]
EVAL_Y = [[1.5], [1.0], [-2.5], [2.75]]


def as_dataset(x, y):
  dtype = np.dtype(FLAGS.dtype)
  features = {"x": np.array(x, dtype)}
  return tf.data.Dataset.from_tensor_slices((features, np.array(y, dtype)))


def train_input_fn():
  """One row per step, in order, for ever."""
  return as_dataset(TRAIN_X, TRAIN_Y).repeat().batch(1)


def eval_input_fn():
  dataset = as_dataset(EVAL_X, EVAL_Y).batch(3)
  features, labels = dataset.make_one_shot_iterator().get_next()
  return features, labels


def make_optimizer(name, rate):
  if name == "sgd":
    return tf.train.GradientDescentOptimizer(rate)
  if name == "momentum":
    return tf.train.MomentumOptimizer(rate, 0.9)
  if name == "adam":
    return tf.train.AdamOptimizer(rate)
  return tf.train.AdagradOptimizer(rate)


def model_fn(features, labels, mode, params):
  """A hidden layer and an output, by hand.

  Returns:
    An EstimatorSpec for the mode.
  """
  x = features["x"]
  with tf.variable_scope("hidden"):
    w = tf.get_variable("w", [2, params["hidden"]], x.dtype)
    b = tf.get_variable(
        "b", [params["hidden"]], x.dtype, initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.matmul(x, w) + b)
  with tf.variable_scope("output"):
    w = tf.get_variable("w", [params["hidden"], 1], x.dtype)
    predicted = tf.matmul(hidden, w)

  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": predicted})

  loss = tf.reduce_mean(tf.squared_difference(predicted, labels))

  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode,
        loss=loss,
        eval_metric_ops={
            "mae": tf.metrics.mean_absolute_error(labels, predicted),
            "rmse": tf.metrics.root_mean_squared_error(labels, predicted),
        })

  optimizer = make_optimizer(FLAGS.optimizer, params["learning_rate"])
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class LossHook(tf.train.SessionRunHook):
  """Keeps the loss of every step."""

  def __init__(self):
    self.losses = []

  def begin(self):
    self._loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]
    self._step = tf.train.get_global_step()

  def before_run(self, run_context):
    return tf.train.SessionRunArgs({"loss": self._loss})

  def after_run(self, run_context, run_values):
    self.losses.append(run_values.results["loss"])


class Evaluations(tf.estimator.Exporter):
  """Keeps the metrics of every evaluation."""

  def __init__(self):
    self.results = []

  @property
  def name(self):
    return "evaluations"

  def export(self, estimator, export_path, checkpoint_path, eval_result,
             is_the_final_export):
    self.results.append(eval_result)


def main(_):
  tf.logging.set_verbosity(tf.logging.WARN)
  config = tf.estimator.RunConfig(
      model_dir=FLAGS.checkpoint_dir, save_checkpoints_steps=25, tf_random_seed=1)
  estimator = tf.estimator.Estimator(
      model_fn, config=config, params={"hidden": 4, "learning_rate": 0.05})
  losses, evaluations = LossHook(), Evaluations()
  train_spec = tf.estimator.TrainSpec(
      train_input_fn, max_steps=FLAGS.train_steps, hooks=[losses])
  eval_spec = tf.estimator.EvalSpec(
      eval_input_fn, steps=None, exporters=[evaluations], start_delay_secs=0,
      throttle_secs=0)
  tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)

  if FLAGS.trace:
    predictions = estimator.predict(
        lambda: as_dataset(EVAL_X, EVAL_Y).batch(2))
    trace = {
        "loss": np.array(losses.losses, FLAGS.dtype),
        "predictions": [p["y"] for p in predictions],
    }
    for name in ("loss", "mae", "rmse", "global_step"):
      trace["eval/" + name] = [result[name] for result in evaluations.results]
    np.savez(FLAGS.trace + ".0.npz", **trace)


if __name__ == "__main__":
  tf.app.run()
