"""Each worker reads its shard of the rows, as its input_fn's context tells it; no ps.

`--dir` is shared by the tasks of TF_CONFIG. The chief writes the losses that it reported.
"""

import glob
import json
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("dir", None, "Where the model and the results are.")
FLAGS = tf.app.flags.FLAGS


def train_input_fn(params, input_context):
  rng = np.random.RandomState(7)
  x = rng.randn(61, 4).astype(np.float32)
  y = (x[:, :1] - 2 * x[:, 1:2]).astype(np.float32)
  dataset = tf.data.Dataset.from_tensor_slices(({"x": x}, y))
  dataset = dataset.shard(
      input_context.num_input_pipelines, input_context.input_pipeline_id)
  size = input_context.get_per_replica_batch_size(params["batch_size"])
  return dataset.repeat().batch(size)


def eval_input_fn():
  x = np.random.RandomState(8).randn(20, 4).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, x[:, :1])).batch(5)


def model_fn(features, labels, mode, params):
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
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
  directory = os.path.join(FLAGS.dir, "model")
  config = tf.estimator.RunConfig(
      model_dir=directory, save_summary_steps=1,
      train_distribute=tf.distribute.experimental.MultiWorkerMirroredStrategy())
  estimator = tf.estimator.Estimator(
      model_fn, config=config, params={"rate": 0.05, "batch_size": 10})
  tf.estimator.train_and_evaluate(
      estimator, tf.estimator.TrainSpec(train_input_fn, max_steps=8),
      tf.estimator.EvalSpec(eval_input_fn))
  if json.loads(os.environ["TF_CONFIG"])["task"]["type"] == "chief":
    losses = [
        value.simple_value
        for path in glob.glob(os.path.join(directory, "events.*"))
        for event in tf.train.summary_iterator(path)
        for value in event.summary.value if value.tag == "loss"]
    np.save(os.path.join(FLAGS.dir, "losses-0.npy"), losses)


if __name__ == "__main__":
  tf.app.run()
