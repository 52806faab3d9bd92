"""A TPUEstimator that runs without a TPU: batch sizes in params, metrics by function."""

from __future__ import print_function

import os
import sys

import numpy as np
import tensorflow as tf


def model_fn_builder(use_tpu):
  def model_fn(features, labels, mode, params):
    assert params["batch_size"] in (6, 5, 4)
    net = tf.layers.dense(features["x"], 7, activation=tf.nn.relu, name="hidden")
    predicted = tf.layers.dense(net, 1, name="output")
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.contrib.tpu.TPUEstimatorSpec(
          mode=mode, predictions={"y": predicted}, scaffold_fn=None)
    total_loss = tf.losses.absolute_difference(labels, predicted)
    if mode == tf.estimator.ModeKeys.TRAIN:
      optimizer = tf.train.AdagradOptimizer(0.1)
      if use_tpu:
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
      train_op = optimizer.minimize(
          total_loss, global_step=tf.train.get_or_create_global_step())
      return tf.contrib.tpu.TPUEstimatorSpec(
          mode=mode, loss=total_loss, train_op=train_op)

    def metric_fn(labels, predicted):
      return {"mae": tf.metrics.mean_absolute_error(labels, predicted)}

    return tf.contrib.tpu.TPUEstimatorSpec(
        mode=mode, loss=total_loss, eval_metrics=(metric_fn, [labels, predicted]))

  return model_fn


def input_fn_builder(rows, training):
  def input_fn(params):
    rng = np.random.RandomState(rows)
    x = rng.randn(rows, 3).astype(np.float32)
    y = x.sum(axis=1, keepdims=True)
    d = tf.data.Dataset.from_tensor_slices(({"x": x}, y))
    if training:
      d = d.repeat()
    return d.batch(params["batch_size"], drop_remainder=training)
  return input_fn


def main(directory):
  use_tpu = False
  tpu_cluster_resolver = None
  is_per_host = tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2
  run_config = tf.contrib.tpu.RunConfig(
      cluster=tpu_cluster_resolver,
      master=None,
      model_dir=os.path.join(directory, "model"),
      save_checkpoints_steps=10,
      tf_random_seed=1,
      tpu_config=tf.contrib.tpu.TPUConfig(
          iterations_per_loop=10, num_shards=8,
          per_host_input_for_training=is_per_host))
  estimator = tf.contrib.tpu.TPUEstimator(
      use_tpu=use_tpu, model_fn=model_fn_builder(use_tpu), config=run_config,
      train_batch_size=6, eval_batch_size=5, predict_batch_size=4)
  estimator.train(input_fn=input_fn_builder(30, True), max_steps=25)
  evaluation = estimator.evaluate(input_fn=input_fn_builder(20, False), steps=3)
  results = {"eval/" + name: value for name, value in evaluation.items()}
  results["y"] = np.array(
      [p["y"] for p in estimator.predict(input_fn=input_fn_builder(20, False))])
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  np.savez(os.path.join(directory, "results.npz"), **results)


if __name__ == "__main__":
  main([a.split("=")[1] for a in sys.argv if a.startswith("--dir=")][0])
