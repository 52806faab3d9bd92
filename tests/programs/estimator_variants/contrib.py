"""Layers of tf.contrib.layers, and its functions that make training operations."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers


def model_fn(features, labels, mode, params):
  is_training = mode == tf.estimator.ModeKeys.TRAIN
  init = tf.random_uniform_initializer(-0.5, 0.5, seed=1)
  reg = layers.l2_regularizer(scale=0.05)
  net = features["x"]
  if params["kind"] == "bn":
    net = layers.fully_connected(
      net,
      6,
      weights_initializer=init,
      weights_regularizer=reg,
      normalizer_fn=layers.batch_norm,
      normalizer_params={"is_training": is_training, "decay": 0.8, "scale": True},
      scope="h1",
    )
    net = layers.batch_norm(
      net,
      is_training=is_training,
      center=True,
      scale=False,
      decay=0.9,
      updates_collections=tf.GraphKeys.UPDATE_OPS,
    )
  elif params["kind"] == "bn_now":
    net = tf.layers.dense(net, 5, kernel_initializer=init)
    net = layers.batch_norm(
      net,
      is_training=is_training,
      updates_collections=None,
      decay=0.7,
      activation_fn=tf.nn.relu,
    )
  elif params["kind"] == "stack":
    net = layers.stack(
      net,
      layers.fully_connected,
      [5, 4],
      weights_initializer=init,
      scope="st",
      activation_fn=tf.nn.tanh,
    )
  elif params["kind"] == "conv":
    net = tf.reshape(net, [-1, 2, 2, 1])
    net = layers.conv2d(
      net, 3, [2, 2], weights_initializer=init, weights_regularizer=reg, scope="c"
    )
    net = layers.max_pool2d(net, 2, 1, scope="p")
    net = layers.flatten(net)
    net = layers.dropout(net, keep_prob=1.0, is_training=is_training)
  out = layers.fully_connected(
    net, 1, activation_fn=None, weights_initializer=init, scope="out"
  )
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=out)
  loss = tf.losses.mean_squared_error(labels, out)
  reg_losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
  if reg_losses:
    loss += tf.add_n(reg_losses)
  train_op = None
  if is_training:
    if params["kind"] == "stack":
      train_op = layers.optimize_loss(
        loss, tf.train.get_global_step(), learning_rate=0.1, optimizer="SGD"
      )
    elif params["kind"] == "conv":
      train_op = tf.contrib.training.create_train_op(
        loss, tf.train.AdagradOptimizer(0.1), global_step=tf.train.get_global_step()
      )
    else:
      with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
          loss, tf.train.get_global_step()
        )
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  rng = np.random.RandomState(0)
  x = rng.randn(30, 4).astype(np.float32)
  return (
    tf.data.Dataset.from_tensor_slices(({"x": x}, x[:, :1] - x[:, 2:3]))
    .repeat(2)
    .batch(6)
  )


def run(directory):
  r = {}
  for kind in KINDS:
    est = tf.estimator.Estimator(
      model_fn, directory + "/" + kind, params={"kind": kind}
    )
    est.train(input_fn)
    r[kind + "/loss"] = est.evaluate(input_fn)["loss"]
    for n in est.get_variable_names():
      r[kind + "/v/" + n] = est.get_variable_value(n)
  return r


KINDS = ["bn", "bn_now", "stack", "conv"]
