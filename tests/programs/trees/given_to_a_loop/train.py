"""A program of a run loop: it has a model_fn and no Estimator, the loop has that."""
import sys

import numpy as np
import tensorflow as tf

import residual_net
import run_loop


class SmallModel(residual_net.Model):
  def __init__(self, size, data_format=None, num_classes=3):
    super(SmallModel, self).__init__(
        blocks=[size, 1], filters=4, num_classes=num_classes, data_format=data_format)


def small_model_fn(features, labels, mode, params):
  features = tf.reshape(features, [-1, 8, 8, 1])
  learning_rate_fn = run_loop.learning_rate_with_decay(params["batch_size"], [4, 8], [1, 0.1, 0.01])
  return run_loop.run_model_fn(
      features=features, labels=labels, mode=mode, model=SmallModel(2),
      learning_rate_fn=learning_rate_fn, weight_decay=2e-4, momentum=0.9,
      loss_filter_fn=lambda name: "batch_normalization" not in name)


def input_fn(is_training, batch_size):
  rng = np.random.RandomState(1 if is_training else 2)
  x = rng.rand(48, 8, 8).astype(np.float32)
  y = (x.mean((1, 2)) * 100 % 3).astype(np.int32)
  return tf.data.Dataset.from_tensor_slices((x, y)).batch(batch_size)


def main(directory):
  run_loop.run(directory, small_model_fn, input_fn, batch_size=8)


if __name__ == "__main__":
  main(sys.argv[1].split("=")[1])
