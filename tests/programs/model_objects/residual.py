"""The shape of residual networks: an object that is called, with blocks made in loops."""

import glob

import numpy as np
import tensorflow as tf

_BATCH_NORM_DECAY = 0.9


class ResNet(object):
  """A residual network for small images.

  Args:
    block_sizes: blocks of each layer.
    num_filters: of the first layer.
  """

  def __init__(self, block_sizes, num_filters, num_classes, data_format="channels_last"):
    if data_format not in ("channels_first", "channels_last"):
      raise ValueError("data_format is {}".format(data_format))
    self.block_sizes = block_sizes
    self.num_filters = num_filters
    self.num_classes = num_classes
    self.data_format = data_format

  def _conv(self, inputs, filters, strides, name):
    return tf.layers.conv2d(
        inputs, filters, 3, strides=strides, padding="same", use_bias=False,
        kernel_initializer=tf.variance_scaling_initializer(),
        data_format=self.data_format, name=name)

  def _block(self, inputs, filters, strides, training, name):
    """Two convolutions, and what goes around them."""
    with tf.variable_scope(name):
      shortcut = self._conv(inputs, filters, strides, name + "_shortcut")
      net = tf.layers.batch_normalization(
          inputs, momentum=_BATCH_NORM_DECAY, training=training, fused=True)
      net = tf.nn.relu(net)
      net = self._conv(net, filters, strides, name + "_a")
      net = tf.nn.relu(net)
      net = self._conv(net, filters, 1, name + "_b")
    return net + shortcut

  def __call__(self, inputs, training):
    """The logits of a batch of images."""
    with tf.variable_scope("resnet_model"):
      if self.data_format == "channels_first":
        inputs = tf.transpose(inputs, [0, 3, 1, 2])
      inputs = tf.layers.conv2d(
          inputs, self.num_filters, 3, padding="same", name="initial_conv")
      for i, num_blocks in enumerate(self.block_sizes):
        for j in range(num_blocks):
          inputs = self._block(
              inputs, self.num_filters * 2**i, 1 if i == 0 or j else 2, training,
              name="layer%d_%d" % (i, j))
      inputs = tf.reduce_mean(inputs, [1, 2])
      return tf.layers.dense(inputs, self.num_classes, name="final_dense")


def resnet_model_fn(features, labels, mode, params):
  """Of the official models: weight decay, a rate by steps, moving averages."""
  model = ResNet(params["block_sizes"], params["filters"], num_classes=3)
  logits = model(features, mode == tf.estimator.ModeKeys.TRAIN)
  predictions = {
      "classes": tf.argmax(logits, axis=1),
      "probabilities": tf.nn.softmax(logits, name="softmax_tensor"),
  }
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode=mode, predictions=predictions)

  loss = tf.losses.sparse_softmax_cross_entropy(logits=logits, labels=labels)
  if mode == tf.estimator.ModeKeys.TRAIN:
    global_step = tf.train.get_or_create_global_step()
    learning_rate = tf.train.piecewise_constant(
        global_step, [8, 16], [0.004, 0.002, 0.001])
    optimizer = tf.train.MomentumOptimizer(
        learning_rate=learning_rate, momentum=params["momentum"])
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
      train_op = optimizer.minimize(loss, global_step)
  else:
    train_op = None

  accuracy = tf.metrics.accuracy(labels, predictions["classes"])
  metrics = {"accuracy": accuracy}
  return tf.estimator.EstimatorSpec(
      mode=mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


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
  rng = np.random.RandomState(7)
  label = rng.randint(3, size=48).astype(np.int32)
  image = (rng.rand(48, 8, 8, 2) + label[:, None, None, None] / 3).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices((image, label)).repeat().batch(12)


def run(directory):
  model_dir = directory + "/images"
  classifier = tf.estimator.Estimator(
      model_fn=resnet_model_fn, model_dir=model_dir,
      config=tf.estimator.RunConfig(save_summary_steps=1),
      params={"block_sizes": [2, 1], "filters": 3, "momentum": 0.9})
  if tf.train.latest_checkpoint(model_dir) is None:
    classifier.train(input_fn, steps=5)
  classifier.train(input_fn, max_steps=25)
  results = {"losses": losses(model_dir)[-20:]}
  for key, value in classifier.evaluate(input_fn, steps=4).items():
    results["eval/" + key] = value
  results["probabilities"] = [
      p["probabilities"] for p, _ in zip(classifier.predict(input_fn), range(24))]
  for key in classifier.get_variable_names():
    results["after/" + key] = classifier.get_variable_value(key)
  return results
