"""A residual network that is an object: subclasses say how large it is."""
import numpy as np
import tensorflow as tf


class Model(object):
  """Blocks with a shortcut each."""

  def __init__(self, blocks, filters, num_classes, data_format=None):
    self.blocks = blocks
    self.filters = filters
    self.num_classes = num_classes
    self.data_format = data_format or "channels_last"

  def _conv(self, x, filters, kernel, strides, name=None):
    rng = np.random.RandomState(filters + kernel)
    return tf.layers.conv2d(
        x, filters, kernel, strides, padding="SAME" if strides == 1 else "VALID", use_bias=False,
        kernel_initializer=tf.constant_initializer(rng.uniform(-.2, .2, (kernel, kernel, int(x.shape[-1]), filters))),
        data_format=self.data_format)

  def _block(self, x, filters, training, projection, strides):
    shortcut = x
    x = batch_norm(x, training, self.data_format)
    x = tf.nn.relu(x)
    if projection is not None:
      shortcut = projection(x)
    x = self._conv(x, filters, 3, 1)
    if strides > 1:
      x = tf.layers.max_pooling2d(x, 2, strides, data_format=self.data_format)
    return x + shortcut

  def __call__(self, inputs, training):
    with tf.variable_scope("resnet_model"):
      x = self._conv(inputs, self.filters, 3, 1)
      x = tf.identity(x, "initial_conv")
      for i, n in enumerate(self.blocks):
        filters = self.filters * 2 ** i
        strides = 1 if i == 0 else 2

        def projection(inputs):
          y = self._conv(inputs, filters, 1, 1)
          return tf.layers.average_pooling2d(y, 2, strides) if strides > 1 else y
        x = self._block(x, filters, training, projection, strides)
        for _ in range(1, n):
          x = self._block(x, filters, training, None, 1)
        x = tf.identity(x, "block_layer%d" % (i + 1))
      x = batch_norm(x, training, self.data_format)
      x = tf.nn.relu(x)
      axes = [2, 3] if self.data_format == "channels_first" else [1, 2]
      x = tf.reduce_mean(x, axes, keepdims=True)
      x = tf.squeeze(x, axes)
      rng = np.random.RandomState(0)
      x = tf.layers.dense(x, self.num_classes, kernel_initializer=tf.constant_initializer(
          rng.uniform(-.5, .5, (int(x.shape[-1]), self.num_classes))))
      return tf.identity(x, "final_dense")


def batch_norm(inputs, training, data_format):
  return tf.layers.batch_normalization(
      inputs=inputs, axis=1 if data_format == "channels_first" else 3,
      momentum=0.9, epsilon=1e-5, center=True, scale=True, training=training, fused=True)
