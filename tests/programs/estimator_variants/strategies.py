"""contrib's strategies, eval_distribute, and an odd number of batches."""

import glob

import numpy as np
import tensorflow as tf

CONFIG = tf.ConfigProto(device_count={"CPU": 2})


def batches(count, size, seed=0):
  rng = np.random.RandomState(seed)
  x = rng.randn(count, 4).astype(np.float32)
  y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.randn(count, 1)).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).batch(size)


def model_fn(features, labels, mode):
  out = tf.layers.dense(
    features["x"],
    1,
    name="out",
    kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=2),
    kernel_regularizer=tf.contrib.layers.l2_regularizer(0.2),
  )
  tf.losses.mean_squared_error(labels, out)
  loss = tf.losses.get_total_loss()
  metrics = {"mae": tf.metrics.mean_absolute_error(labels, out)}
  train_op = None
  if mode == tf.estimator.ModeKeys.TRAIN:
    tf.summary.scalar("bias", tf.reduce_mean(out))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_or_create_global_step()
    )
  return tf.estimator.EstimatorSpec(
    mode, loss=loss, train_op=train_op, eval_metric_ops=metrics, predictions=out
  )


def summaries(directory):
  found = {}
  for path in sorted(glob.glob(directory + "/events*")):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if not value.tag.startswith("global_step"):
          found.setdefault(value.tag, []).append(value.simple_value)
  return found


def run(directory):
  results = {}
  for name, train, evaluate in (
    (
      "contrib",
      tf.contrib.distribute.MirroredStrategy(
        devices=["/device:CPU:0", "/device:CPU:1"]
      ),
      None,
    ),
    ("one", tf.contrib.distribute.OneDeviceStrategy("/cpu:0"), None),
    (
      "both",
      tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
      tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
    ),
    ("eval", None, tf.distribute.MirroredStrategy(devices=["/cpu:0", "/cpu:1"])),
  ):
    config = tf.estimator.RunConfig(
      train_distribute=train,
      eval_distribute=evaluate,
      save_summary_steps=1,
      session_config=CONFIG,
    )
    estimator = tf.estimator.Estimator(model_fn, directory + "/" + name, config)
    estimator.train(lambda: batches(30, 6))  # Five batches.
    for key, value in summaries(directory + "/" + name).items():
      results[name + "/summary/" + key] = value
    for key, value in estimator.evaluate(lambda: batches(24, 6, 1)).items():
      results[name + "/eval/" + key] = value
    for key, value in estimator.evaluate(
      lambda: batches(30, 5, 1), steps=2, name="two"
    ).items():
      results[name + "/eval_two/" + key] = value
    for variable in estimator.get_variable_names():
      results[name + "/" + variable] = estimator.get_variable_value(variable)
  return results
