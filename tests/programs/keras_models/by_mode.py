"""Layers and branches that are written by mode, as the official MNIST model's were."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def network(images, training):
  net = tf.reshape(images, [-1, 6, 6, 1])
  net = tf.layers.conv2d(net, 3, 3, activation=tf.nn.relu, kernel_initializer=uniform(1))
  net = tf.layers.flatten(tf.layers.max_pooling2d(net, 2, 2))
  net = tf.layers.dropout(net, seed=4, training=training)
  return tf.layers.dense(net, 3, kernel_initializer=uniform(2))


def model_fn(features, labels, mode, params):
  """The model_fn argument for creating an Estimator."""
  image = features
  if isinstance(image, dict):
    image = features["image"]

  if mode == tf.estimator.ModeKeys.PREDICT:
    logits = network(image, training=False)
    predictions = {
        "classes": tf.argmax(logits, axis=1),
        "probabilities": tf.nn.softmax(logits),
    }
    return tf.estimator.EstimatorSpec(
        mode=tf.estimator.ModeKeys.PREDICT,
        predictions=predictions,
        export_outputs={"classify": tf.estimator.export.PredictOutput(predictions)})
  if mode == tf.estimator.ModeKeys.TRAIN:
    optimizer = tf.train.AdamOptimizer(learning_rate=params["rate"])
    logits = network(image, training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    accuracy = tf.metrics.accuracy(
        labels=labels, predictions=tf.argmax(logits, axis=1))

    # Name tensors to be logged with LoggingTensorHook.
    tf.identity(params["rate"], "learning_rate")
    tf.identity(loss, "cross_entropy")
    tf.identity(accuracy[1], name="train_accuracy")

    # Save accuracy scalar to Tensorboard output.
    tf.summary.scalar("train_accuracy", accuracy[1])
    return tf.estimator.EstimatorSpec(
        mode=tf.estimator.ModeKeys.TRAIN,
        loss=loss,
        train_op=optimizer.minimize(loss, tf.train.get_or_create_global_step()))
  if mode == tf.estimator.ModeKeys.EVAL:
    logits = network(image, training=False)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    return tf.estimator.EstimatorSpec(
        mode=tf.estimator.ModeKeys.EVAL,
        loss=loss,
        eval_metric_ops={
            "accuracy": tf.metrics.accuracy(
                labels=labels, predictions=tf.argmax(logits, axis=1)),
        })


def one_line_fn(features, labels, mode):
  training = mode == tf.estimator.ModeKeys.TRAIN
  net = tf.layers.dense(features["image"], 5, tf.nn.relu, kernel_initializer=uniform(5))
  # Some units, while it learns.
  if training:
    net = tf.layers.dropout(net, 0.3, seed=6, training=True)
  if training:
    logits = tf.layers.dense(net, 3, kernel_initializer=uniform(7), trainable=True)
  else:
    logits = tf.layers.dense(net, 3, kernel_initializer=uniform(7), trainable=True)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = tf.train.GradientDescentOptimizer(0.2).minimize(
      loss, tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(12)
  x = rng.rand(50, 36).astype(np.float32)
  label = (x[:, 0] * 3).astype(np.int32)
  slices = tf.data.Dataset.from_tensor_slices
  results = {}
  for name, estimator in (
      ("mnist", tf.estimator.Estimator(
          model_fn, directory + "/mnist", params={"rate": 0.01})),
      ("line", tf.estimator.Estimator(one_line_fn, directory + "/line")),
  ):
    estimator.train(lambda: slices(({"image": x}, label)).repeat(3).batch(8))
    evaluated = estimator.evaluate(lambda: slices(({"image": x}, label)).batch(10))
    results.update({name + "/eval/" + k: v for k, v in evaluated.items()})
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
    if name == "mnist":
      found = list(estimator.predict(lambda: slices({"image": x}).batch(9)))
      for key in ("classes", "probabilities"):
        results[key] = [p[key] for p in found]
  return results
