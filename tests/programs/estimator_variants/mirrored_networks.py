"""Networks of tf.keras in a model_fn, on two devices: in training and in evaluation."""

import numpy as np
import tensorflow as tf

layers = tf.keras.layers


def drawn(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def network(units, first, **kwargs):
  return tf.keras.Sequential([
      layers.Dense(units, "tanh", kernel_initializer=drawn(first), **kwargs),
      layers.Dense(3, kernel_initializer=drawn(first + 1)),
  ])


def model_fn(features, labels, mode):
  logits = network(5, 1)(features["a"], training=True)
  logits += network(4, 3, input_shape=(6,))(features["a"])
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  rng = np.random.RandomState(1)
  features = {"a": rng.rand(32, 6).astype(np.float32)}
  labels = rng.randint(3, size=32)
  return tf.data.Dataset.from_tensor_slices((features, labels)).batch(4)


def run(directory):
  strategy = tf.contrib.distribute.MirroredStrategy(
      devices=["/device:CPU:0", "/device:CPU:1"])
  estimator = tf.estimator.Estimator(
      model_fn, directory,
      tf.estimator.RunConfig(
          train_distribute=strategy, eval_distribute=strategy,
          session_config=tf.ConfigProto(device_count={"CPU": 2})))
  estimator.train(input_fn)
  results = {"loss": estimator.evaluate(input_fn)["loss"]}
  for name, _ in tf.train.list_variables(directory):
    results[name] = estimator.get_variable_value(name)
  return results
