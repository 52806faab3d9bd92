"""contrib's layers as public programs combine them: stacks, argument scopes, normalizers."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers
import tensorflow.contrib.slim as slim


def uniform(seed, most=0.5):
  return tf.random_uniform_initializer(-most, most, seed=seed)


def tower_fn(features, labels, mode, params):
  """A tower over words and numbers, as contrib's guide stacked it."""
  training = mode == tf.estimator.ModeKeys.TRAIN
  words = layers.embed_sequence(
      features["ids"], vocab_size=params["words"], embed_dim=4, initializer=uniform(0),
      regularizer=layers.l1_regularizer(1e-3))
  kind = layers.one_hot_encoding(features["kind"], 3)
  net = tf.concat([tf.reduce_mean(words, 1), kind, features["x"]], 1)
  # The hidden layers.
  net = layers.stack(
      net, layers.fully_connected, [6, 5], scope="fc", weights_initializer=uniform(1))
  net = layers.stack(
      net, layers.fully_connected, params["hidden"], activation_fn=tf.nn.elu,
      weights_initializer=uniform(2), weights_regularizer=layers.l2_regularizer(1e-2))
  with tf.variable_scope("deep"):
    net = layers.fully_connected(
        net, 7, weights_initializer=uniform(3, 1.0), normalizer_fn=layers.batch_norm,
        activation_fn=tf.tanh,
        normalizer_params={"is_training": training, "decay": 0.9, "epsilon": 0.1})
    net = layers.repeat(
        net, 2, layers.fully_connected, 6, weights_initializer=uniform(4, 1.5),
        normalizer_fn=layers.layer_norm, activation_fn=tf.nn.tanh)
  net = layers.layer_norm(net, activation_fn=tf.nn.relu)
  net = layers.relu(net, 4, weights_initializer=uniform(8))
  logits = layers.linear(net, 3, weights_initializer=uniform(5), scope="logits")
  classes = tf.argmax(logits, 1)
  predictions = {"classes": classes, "probabilities": tf.nn.softmax(logits)}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  loss += tf.losses.get_regularization_loss()
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        eval_metric_ops={"accuracy": tf.metrics.accuracy(labels, classes)})
  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  with tf.control_dependencies(update_ops):
    train_op = tf.train.MomentumOptimizer(0.02, 0.9).minimize(
        loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def network(images, is_training):
  """The network: slim's own arguments for all of its layers."""
  batch_norm_params = {
      "is_training": is_training,
      "decay": 0.9,
      "updates_collections": None,
  }
  with slim.arg_scope(
      [slim.conv2d, slim.fully_connected],
      weights_initializer=uniform(11),
      weights_regularizer=slim.l2_regularizer(1e-3),
      normalizer_fn=slim.batch_norm,
      normalizer_params=batch_norm_params):
    net = slim.conv2d(images, 4, [3, 3], scope="conv0")
    with slim.arg_scope([slim.conv2d], activation_fn=tf.nn.elu, padding="SAME"):
      net = slim.repeat(net, 2, slim.conv2d, 3, [2, 2], scope="conv1")
    net = slim.avg_pool2d(net, [2, 2], scope="pool1")
    net = slim.stack(net, slim.conv2d, [(4, [2, 2]), (3, [1, 1])], scope="conv2")
    net = slim.max_pool2d(net, [2, 2], stride=1)
    net = slim.flatten(net)
    net = slim.fully_connected(net, 6, scope="fc3")
    net = slim.dropout(net, 0.8, is_training=is_training, seed=3)
    return slim.fully_connected(
        net, 3, activation_fn=None, normalizer_fn=None, scope="fc4")


def slim_fn(features, labels, mode):
  logits = network(features["image"], mode == tf.estimator.ModeKeys.TRAIN)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"probabilities": tf.nn.softmax(logits)})
  loss = tf.losses.softmax_cross_entropy(tf.one_hot(labels, 3), logits)
  loss = loss + tf.add_n(tf.losses.get_regularization_losses())
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={
            "accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))})
  train_op = tf.train.AdagradOptimizer(0.05).minimize(
      loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def images_fn(features, labels, mode):
  """Layers of images that are less often met."""
  training = mode == tf.estimator.ModeKeys.TRAIN
  net = layers.conv2d_transpose(
      features["image"], 3, [3, 3], stride=2, weights_initializer=uniform(20))
  net = layers.batch_norm(
      net, is_training=training, fused=False, decay=0.7, activation_fn=tf.nn.relu)
  net = layers.separable_conv2d(
      net, 4, [3, 3], stride=2, weights_initializer=uniform(21),
      weights_regularizer=layers.l2_regularizer(0.01), padding="VALID",
      normalizer_fn=layers.batch_norm,
      normalizer_params=dict(is_training=training, scale=True))
  net = layers.layer_norm(net)
  net = tf.reduce_mean(net, [1, 2])
  y = layers.fully_connected(
      net, 1, activation_fn=None, weights_initializer=uniform(22))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
  loss = tf.losses.mean_squared_error(tf.expand_dims(tf.to_float(labels), 1), y)
  loss += tf.losses.get_regularization_loss()
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.GradientDescentOptimizer(0.02).minimize(
        loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(5)
  count = 48
  x = rng.randn(count, 2).astype(np.float32)
  image = rng.rand(count, 6, 6, 2).astype(np.float32)
  labels = rng.randint(3, size=count).astype(np.int64)
  ids = (rng.randint(4, size=[count, 5]) + 4 * labels[:, None]).astype(np.int64)
  image[:, :, :, 0] += labels[:, None, None]
  features = {"x": x, "ids": ids, "kind": (labels + (x[:, 0] > 1)) % 3, "image": image}

  def input_fn(epochs=1):
    return tf.data.Dataset.from_tensor_slices(
        (features, labels)).repeat(epochs).batch(12)

  results = {}
  for name, made in (
      ("tower", tf.estimator.Estimator(
          tower_fn, directory + "/tower", params={"words": 12, "hidden": [6, 5]})),
      ("slim", tf.estimator.Estimator(slim_fn, directory + "/slim")),
      ("images", tf.estimator.Estimator(images_fn, directory + "/images")),
  ):
    made.train(lambda: input_fn(2))
    evaluated = made.evaluate(lambda: input_fn())
    results.update({name + "/eval/" + k: v for k, v in evaluated.items()})
    predicted = list(made.predict(lambda: input_fn()))
    for key in predicted[0]:
      results[name + "/predicted/" + key] = [p[key] for p in predicted]
    for key in made.get_variable_names():
      results[name + "/variable/" + key] = made.get_variable_value(key)
  return results
