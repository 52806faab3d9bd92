"""The shape of the official MNIST model: an object makes its layers, and is called."""

import glob

import numpy as np
import tensorflow as tf

LEARNING_RATE = 1e-3


class Model(object):
  """Recognizes digits: a chain of convolutions, of which two are dense."""

  def __init__(self, data_format, filters=4):
    """Creates the layers.

    Args:
      data_format: Either 'channels_first' or 'channels_last'.
    """
    if data_format == "channels_first":
      self._input_shape = [-1, 1, 12, 12]
    else:
      assert data_format == "channels_last"
      self._input_shape = [-1, 12, 12, 1]

    # Two blocks.
    self.conv1 = tf.layers.Conv2D(
        filters, 5, padding="same", data_format=data_format, activation=tf.nn.relu)
    self.conv2 = tf.layers.Conv2D(
        2 * filters, 5, padding="same", data_format=data_format, activation=tf.nn.relu)
    self.fc1 = tf.layers.Dense(16, activation=tf.nn.relu)
    self.fc2 = tf.layers.Dense(5)
    self.dropout = tf.layers.Dropout(0.0)
    self.max_pool2d = tf.layers.MaxPooling2D(
        (2, 2), (2, 2), padding="same", data_format=data_format)

  def __call__(self, inputs, training):
    """Adds operations to classify a batch of input images.

    Args:
      inputs: A Tensor representing a batch of input images.
      training: A boolean. Set to True to add operations required only when training.

    Returns:
      A logits Tensor with shape [<batch_size>, 5].
    """
    y = tf.reshape(inputs, self._input_shape)
    y = self.conv1(y)
    y = self.max_pool2d(y)
    y = self.conv2(y)
    y = self.max_pool2d(y)
    y = tf.layers.flatten(y)
    y = self.fc1(y)
    # Only in training.
    y = self.dropout(y, training=training)
    return self.fc2(y)


def model_fn(features, labels, mode, params):
  """The model_fn argument for creating an Estimator."""
  model = Model(params["data_format"])
  image = features
  if isinstance(image, dict):
    image = features["image"]

  if mode == tf.estimator.ModeKeys.PREDICT:
    logits = model(image, training=False)
    predictions = {
        "classes": tf.argmax(logits, axis=1),
        "probabilities": tf.nn.softmax(logits),
    }
    return tf.estimator.EstimatorSpec(
        mode=tf.estimator.ModeKeys.PREDICT,
        predictions=predictions,
        export_outputs={
            "classify": tf.estimator.export.PredictOutput(predictions)
        })
  if mode == tf.estimator.ModeKeys.TRAIN:
    optimizer = tf.train.AdamOptimizer(learning_rate=LEARNING_RATE)
    logits = model(image, training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    accuracy = tf.metrics.accuracy(
        labels=labels, predictions=tf.argmax(logits, axis=1))

    # Name tensors to be logged with LoggingTensorHook.
    tf.identity(LEARNING_RATE, "learning_rate")
    tf.identity(loss, "cross_entropy")
    tf.identity(accuracy[1], name="train_accuracy")

    # Save accuracy scalar to Tensorboard output.
    tf.summary.scalar("train_accuracy", accuracy[1])

    return tf.estimator.EstimatorSpec(
        mode=tf.estimator.ModeKeys.TRAIN,
        loss=loss,
        train_op=optimizer.minimize(loss, tf.train.get_or_create_global_step()))
  if mode == tf.estimator.ModeKeys.EVAL:
    logits = model(image, training=False)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    return tf.estimator.EstimatorSpec(
        mode=tf.estimator.ModeKeys.EVAL,
        loss=loss,
        eval_metric_ops={
            "accuracy":
                tf.metrics.accuracy(
                    labels=labels, predictions=tf.argmax(logits, axis=1)),
        })


def losses(directory):
  """The loss of each step, from the summaries."""
  found = {}
  for path in glob.glob(directory + "/events*"):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.tag == "loss":
          found[event.step] = value.simple_value
  return [found[step] for step in sorted(found)]


def input_fn():
  rng = np.random.RandomState(3)
  label = rng.randint(5, size=80).astype(np.int32)
  image = (rng.rand(80, 144) + label[:, None] / 5.0).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices((image, label)).repeat().batch(16)


def run(directory):
  model_dir = directory + "/digits"
  classifier = tf.estimator.Estimator(
      model_fn=model_fn,
      model_dir=model_dir,
      config=tf.estimator.RunConfig(save_summary_steps=1),
      params={"data_format": "channels_last"})
  if tf.train.latest_checkpoint(model_dir) is None:
    classifier.train(input_fn, steps=5)
  tensors = {"learning_rate": "learning_rate", "cross_entropy": "cross_entropy"}
  hook = tf.train.LoggingTensorHook(tensors=tensors, every_n_iter=10)
  classifier.train(input_fn, max_steps=25, hooks=[hook])
  results = {"losses": losses(model_dir)[-20:]}
  for key, value in classifier.evaluate(input_fn, steps=5).items():
    results["eval/" + key] = value
  results["probabilities"] = [
      p["probabilities"] for p, _ in zip(classifier.predict(input_fn), range(32))]
  for key in classifier.get_variable_names():
    results["after/" + key] = classifier.get_variable_value(key)
  return results
