"""contrib.learn's Experiment, RunConfig and learn_runner around a tf.estimator.Estimator."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn.python.learn import learn_runner


def model_fn(features, labels, mode, params):
  w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
  y = tf.matmul(features, w)
  loss = tf.losses.mean_squared_error(labels, y)
  train_op = tf.train.MomentumOptimizer(params.rate, 0.9).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, y)})


def rows(number, repeat):
  def input_fn():
    x = np.random.RandomState(number).randn(number, 2).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat(repeat).batch(4)

  return input_fn


seen = []


class Counting(tf.train.SessionRunHook):

  def after_run(self, run_context, run_values):
    seen.append(len(seen))


def experiment_fn(run_config, hparams):
  estimator = tf.estimator.Estimator(model_fn, config=run_config, params=hparams)
  return tf.contrib.learn.Experiment(
      estimator=estimator,
      train_input_fn=rows(20, None),
      eval_input_fn=rows(12, 1),
      train_steps=hparams.steps,
      eval_steps=None,
      eval_delay_secs=0,
      min_eval_frequency=2,
      train_monitors=[Counting()])


def run(directory):
  hparams = tf.contrib.training.HParams(rate=0.1, steps=11)
  found = {}
  for schedule in ("train", "evaluate", "test", "train_and_evaluate", None):
    name = "older" if schedule in ("train", "evaluate", "test") else str(schedule)
    config = tf.contrib.learn.RunConfig(
        model_dir=directory + "/" + name, save_checkpoints_steps=4,
        tf_random_seed=3)
    del seen[:]
    result = learn_runner.run(
        experiment_fn=experiment_fn, run_config=config, schedule=schedule,
        hparams=hparams)
    if schedule == "train":
      found["w"] = result.get_variable_value("w")
    elif schedule in ("evaluate", "test"):
      found[schedule] = [result["loss"], result["mae"], result["global_step"]]
    else:
      found[name] = [result[0]["loss"], result[0]["mae"], len(result[1])]
    found[str(schedule) + "/steps"] = len(seen)
  config = tf.contrib.learn.RunConfig(
      save_checkpoints_secs=30, keep_checkpoint_max=2, model_dir="d")
  found["config"] = [str(x) for x in (
      config.save_checkpoints_secs, config.save_checkpoints_steps,
      config.keep_checkpoint_max, config.tf_random_seed, config.model_dir,
      config.save_summary_steps, config.log_step_count_steps)]
  for bad in (dict(), dict(run_config=tf.contrib.learn.RunConfig()),
              dict(run_config=config, output_dir="a"),
              dict(run_config=config, schedule="no_such", hparams=hparams)):
    try:
      learn_runner.run(experiment_fn, **bad)
      found[str(sorted(bad))] = "taken"
    except ValueError:
      found[str(sorted(bad))] = "ValueError"
  return found
