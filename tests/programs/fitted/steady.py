"""An Estimator whose gradient is the same in every step: who makes the steps does not matter."""

import os

import tensorflow as tf


def input_fn():
  features = {"x": [[0.5, -2.0, 1.5]]}
  data = tf.data.Dataset.from_tensor_slices((features, [[-64.0]]))
  return data.repeat().batch(1)


def model_fn(features, labels, mode, params):
  net = tf.layers.dense(features["x"], 1)
  loss = tf.losses.absolute_difference(labels, net)
  optimizer = tf.train.AdagradOptimizer(params["rate"])
  return tf.estimator.EstimatorSpec(
      mode, loss=loss,
      train_op=optimizer.minimize(loss, tf.train.get_global_step()))


def main():
  config = tf.estimator.RunConfig(save_checkpoints_steps=8, keep_checkpoint_max=100)
  estimator = tf.estimator.Estimator(
      model_fn, os.environ["MODEL_DIR"], config, params={"rate": 0.125})
  train = tf.estimator.TrainSpec(input_fn, max_steps=24)
  evaluation = tf.estimator.EvalSpec(input_fn, steps=3, throttle_secs=0)
  tf.estimator.train_and_evaluate(estimator, train, evaluation)


if __name__ == "__main__":
  main()
