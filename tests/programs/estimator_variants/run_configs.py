"""Each argument of RunConfig by itself: checkpoints, events and weights that it leaves."""

import glob
import os

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, config):
  w = tf.get_variable(
      "w", [2, 1], initializer=tf.random_uniform_initializer(-1, 1, seed=3))
  y = tf.matmul(tf.nn.dropout(features, keep_prob=0.5, seed=5), w)
  loss = tf.losses.mean_squared_error(labels, y)
  tf.summary.scalar("y", tf.reduce_mean(y))
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  x = np.random.RandomState(0).randn(40, 2).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(4)


def events(directory):
  found = []
  for path in sorted(glob.glob(directory + "/events*")):
    try:
      for event in tf.train.summary_iterator(path):
        found += ["%d %s" % (event.step, v.tag) for v in event.summary.value]
    except tf.errors.DataLossError:
      pass  # Nothing has flushed what was written last.
  return sorted(found)


def run(directory):
  distribution = tf.contrib.distribute.OneDeviceStrategy("/cpu:0")
  cases = {
      "nothing": {},
      "tf_random_seed": dict(tf_random_seed=11),
      "save_summary_steps": dict(save_summary_steps=3),
      "no_summaries": dict(save_summary_steps=0),
      "save_checkpoints_steps": dict(save_checkpoints_steps=4),
      "save_checkpoints_secs": dict(save_checkpoints_secs=1000),
      "no_checkpoints": dict(save_checkpoints_secs=None, save_checkpoints_steps=None),
      "session_config": dict(
          session_config=tf.ConfigProto(
              allow_soft_placement=True, log_device_placement=False)),
      "keep_checkpoint_max": dict(keep_checkpoint_max=2, save_checkpoints_steps=3),
      "keep_all": dict(keep_checkpoint_max=0, save_checkpoints_steps=2),
      "keep_none": dict(keep_checkpoint_max=None, save_checkpoints_steps=2),
      "keep_checkpoint_every_n_hours": dict(
          keep_checkpoint_every_n_hours=1e-7, keep_checkpoint_max=1,
          save_checkpoints_steps=3),
      "log_step_count_steps": dict(log_step_count_steps=4),
      "no_log": dict(log_step_count_steps=None),
      "train_distribute": dict(train_distribute=distribution),
      "eval_distribute": dict(eval_distribute=distribution),
      "device_fn": dict(device_fn=lambda op: "/cpu:0"),
      "protocol": dict(protocol="grpc"),
      "experimental_max_worker_delay_secs": dict(experimental_max_worker_delay_secs=0),
      "session_creation_timeout_secs": dict(session_creation_timeout_secs=60),
  }
  found = {}
  for name in sorted(cases):
    model_dir = os.path.join(directory, name)
    config = tf.estimator.RunConfig(model_dir=model_dir, **cases[name])
    estimator = tf.estimator.Estimator(model_fn, config=config)
    estimator.train(input_fn, steps=9)
    found[name + "/checkpoints"] = sorted(
        os.path.basename(p) for p in glob.glob(model_dir + "/*.index"))
    found[name + "/events"] = events(model_dir)
    if name != "no_checkpoints":
      found[name + "/loss"] = estimator.evaluate(input_fn, steps=3)["loss"]
      found[name + "/w"] = estimator.get_variable_value("w")
  return found
