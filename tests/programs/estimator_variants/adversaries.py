"""Two optimizers on parts of the variables, in one training operation; regularisation."""

import numpy as np
import tensorflow as tf

layers = tf.layers


def dense(x, units, name, seed, activation=None):
  return layers.dense(
      x, units, activation, name=name,
      kernel_regularizer=tf.contrib.layers.l2_regularizer(0.01),
      kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=seed))


def generator(noise):
  with tf.variable_scope("generator"):
    return dense(dense(noise, 5, "a", 1, tf.nn.leaky_relu), 2, "b", 2)


def discriminator(x):
  with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
    return dense(dense(x, 6, "a", 3, tf.nn.leaky_relu), 1, "b", 4)


class Adversaries(object):

  def __init__(self, rate):
    self.rate = rate

  def __call__(self, features, labels, mode):
    made = generator(features["noise"])
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"made": made})
    of_made, of_real = discriminator(made), discriminator(labels)
    penalty = tf.losses.get_regularization_loss()
    d_loss = (
        tf.losses.sigmoid_cross_entropy(tf.ones_like(of_real), of_real) +
        tf.losses.sigmoid_cross_entropy(tf.zeros_like(of_made), of_made))
    g_loss = tf.losses.sigmoid_cross_entropy(tf.ones_like(of_made), of_made)
    loss = d_loss + g_loss + penalty
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(
          mode, loss=loss, eval_metric_ops={"g": tf.metrics.mean(g_loss)})
    of = lambda scope: tf.get_collection(
        tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope)
    g_step = tf.train.GradientDescentOptimizer(self.rate).compute_gradients(
        g_loss, var_list=of("generator"))
    d_step = tf.train.GradientDescentOptimizer(self.rate).compute_gradients(
        d_loss + penalty, var_list=of("discriminator"))
    # All gradients are of the same values.
    with tf.control_dependencies([g for g, _ in g_step + d_step]):
      train_op = tf.group(
          tf.train.GradientDescentOptimizer(self.rate).apply_gradients(g_step),
          tf.train.GradientDescentOptimizer(self.rate).apply_gradients(d_step),
          tf.assign_add(tf.train.get_global_step(), 1))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(9)
  noise = rng.randn(80, 3).astype(np.float32)
  real = (rng.randn(80, 2) + 2).astype(np.float32)
  input_fn = tf.estimator.inputs.numpy_input_fn(
      {"noise": noise}, real, batch_size=16, num_epochs=6, shuffle=False)
  estimator = tf.estimator.Estimator(Adversaries(0.05), directory)
  estimator.train(input_fn)
  results = estimator.evaluate(input_fn, steps=5)
  results["made"] = [
      p["made"] for p in estimator.predict(input_fn, predict_keys=["made"])][:80]
  return results
