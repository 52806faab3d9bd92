"""A small network of slim's layers, whose argument scope a function returns."""

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
WEIGHT_DECAY = 0.02


def small_arg_scope(weight_decay=0.0004, decay=0.997, is_training=True,
                    use_batch_norm=True, activation_fn=tf.nn.relu):
  """Defines the default arguments of the network's layers."""
  batch_norm_params = {
      "decay": decay,
      "epsilon": 1e-3,
      "scale": True,
      "is_training": is_training,
  }
  with slim.arg_scope(
      [slim.conv2d, slim.fully_connected],
      weights_regularizer=slim.l2_regularizer(weight_decay),
      activation_fn=activation_fn,
      normalizer_fn=slim.batch_norm if use_batch_norm else None):
    with slim.arg_scope([slim.batch_norm], **batch_norm_params):
      with slim.arg_scope([slim.conv2d], padding="VALID") as arg_sc:
        return arg_sc


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def small_net(images, num_classes, is_training, scope="Small"):
  with tf.variable_scope(scope, "Small", [images, num_classes]):
    net = slim.conv2d(images, 4, [3, 3], scope="conv1", weights_initializer=uniform(1))
    net = slim.flatten(net, scope="flat")
    net = slim.fully_connected(net, 6, scope="fc2", weights_initializer=uniform(2))
    net = slim.dropout(net, 1.0, is_training=is_training, scope="dropout2")
    return slim.fully_connected(
        net, num_classes, activation_fn=None, normalizer_fn=None, scope="logits",
        weights_initializer=uniform(3))


def model_fn(features, labels, mode, params):
  training = mode == tf.estimator.ModeKeys.TRAIN
  with slim.arg_scope(
      small_arg_scope(weight_decay=WEIGHT_DECAY, decay=0.8, is_training=training)):
    logits = small_net(features["image"], params["classes"], training)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  loss += tf.losses.get_regularization_loss()
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={
            "accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))})
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(2)
  images = rng.rand(40, 5, 5, 1).astype(np.float32)
  classes = (images[:, 1, 1, 0] > images[:, 3, 3, 0]).astype(np.int32)
  slices = tf.data.Dataset.from_tensor_slices
  rows = ({"image": images}, classes)
  results = {}
  estimator = tf.estimator.Estimator(model_fn, directory, params={"classes": 2})
  estimator.train(lambda: slices(rows).repeat(4).batch(8))
  for key, value in estimator.evaluate(lambda: slices(rows).batch(9)).items():
    results["eval/" + key] = value
  for key in estimator.get_variable_names():
    results["variable/" + key] = estimator.get_variable_value(key)
  found = list(estimator.predict(lambda: slices(rows[0]).batch(10)))
  results["logits"] = [p["logits"] for p in found]
  return results
