"""An Estimator on two devices of one process: each takes a batch of its own."""

import os

import numpy as np
import tensorflow as tf


def input_fn():
  x = np.arange(1, 25, dtype=np.float32).reshape(12, 2) / 8
  y = x[:, :1] - 2 * x[:, 1:] + 0.5
  return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(3)


def model_fn(features, labels, mode):
  net = tf.layers.dense(features, 1)
  loss = tf.losses.mean_squared_error(labels, net)
  optimizer = tf.train.MomentumOptimizer(0.01, 0.5)
  return tf.estimator.EstimatorSpec(
      mode, loss=loss,
      train_op=optimizer.minimize(loss, tf.train.get_global_step()))


def main():
  strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
  config = tf.estimator.RunConfig(
      train_distribute=strategy, save_checkpoints_steps=3,
      session_config=tf.ConfigProto(device_count={"CPU": 2}))
  estimator = tf.estimator.Estimator(model_fn, os.environ["MODEL_DIR"], config)
  estimator.train(input_fn, steps=9)
  estimator.evaluate(input_fn, steps=2)


if __name__ == "__main__":
  main()
