"""tf.contrib.layers: their weights' names, defaults and normalizers."""

import tensorflow as tf
import tf_keras


class _ContribLayer:
    """A layer of tf.contrib.layers: its weights' names, and a normalizer if it has one.

    Args:
      normalizer: a layer between the product, which then has no bias, and the activation.
    """

    _NAMES = {"kernel": "weights", "bias": "biases"}

    def __init__(self, *args, activation=None, normalizer=None, **kwargs):
        if normalizer is not None:
            kwargs["use_bias"] = False
        inner = activation if normalizer is None else None
        super().__init__(*args, activation=inner, **kwargs)
        self.normalizer = normalizer
        self._after = tf_keras.activations.get(activation)

    def add_weight(self, name, *args, **kwargs):
        return super().add_weight(self._NAMES[name], *args, **kwargs)

    def call(self, inputs, training=None):
        """`training` is the normalizer's, which Keras tells of it."""
        outputs = super().call(inputs)
        if self.normalizer is None:
            return outputs
        return self._after(self.normalizer(outputs))


class FullyConnected(_ContribLayer, tf_keras.layers.Dense):
    """tf.contrib.layers.fully_connected."""


class Conv(_ContribLayer, tf_keras.layers.Conv2D):
    """tf.contrib.layers.conv2d."""


class ConvTransposed(_ContribLayer, tf_keras.layers.Conv2DTranspose):
    """tf.contrib.layers.conv2d_transpose."""


class SeparableConv(_ContribLayer, tf_keras.layers.SeparableConv2D):
    """tf.contrib.layers.separable_conv2d: both kernels begin, and are penalised, alike."""

    _NAMES = {
        "depthwise_kernel": "depthwise_weights",
        "pointwise_kernel": "pointwise_weights",
        "bias": "biases",
    }

    def __init__(
        self,
        *args,
        kernel_initializer="glorot_uniform",
        pointwise_initializer=None,
        kernel_regularizer=None,
        **kwargs,
    ):
        super().__init__(
            *args,
            depthwise_initializer=kernel_initializer,
            pointwise_initializer=pointwise_initializer or kernel_initializer,
            depthwise_regularizer=kernel_regularizer,
            pointwise_regularizer=kernel_regularizer,
            **kwargs,
        )


class BatchNorm(tf_keras.layers.BatchNormalization):
    """tf.contrib.layers.batch_norm: moves an unbiased variance for rows of any rank.

    Args:
      fused: False for a biased variance.
      activation: of what is normalised.
    """

    def __init__(self, *args, activation=None, **kwargs):
        super().__init__(*args, **kwargs)
        self._after = tf_keras.activations.get(activation)

    def build(self, input_shape):
        super().build(_as_image(tf.TensorShape(input_shape)))
        self.input_spec = None

    def call(self, inputs, training=None):
        if inputs.shape.rank != 2:
            return self._after(super().call(inputs, training=training))
        images = inputs[:, tf.newaxis, tf.newaxis, :]
        return self._after(super().call(images, training=training)[:, 0, 0, :])


class LayerNorm(tf_keras.layers.Layer):
    """tf.contrib.layers.layer_norm.

    Args:
      begin_norm_axis: the mean is that of all dimensions from this one on.
      begin_params_axis: the weights have the dimensions from this one on.
    """

    def __init__(
        self,
        center=True,
        scale=True,
        activation=None,
        begin_norm_axis=1,
        begin_params_axis=-1,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self._center, self._scale = center, scale
        self._axes = begin_norm_axis, begin_params_axis
        self._after = tf_keras.activations.get(activation)

    def build(self, input_shape):
        shape = tf.TensorShape(input_shape)[self._axes[1] :]
        self._beta = self._gamma = None
        if self._center:
            self._beta = self.add_weight("beta", shape, initializer="zeros")
        if self._scale:
            self._gamma = self.add_weight("gamma", shape, initializer="ones")
        super().build(input_shape)

    def call(self, inputs):
        rank = inputs.shape.rank
        axes = list(range(self._axes[0] % rank, rank))
        mean, variance = tf.nn.moments(inputs, axes, keepdims=True)
        epsilon = 1e-3 if inputs.dtype == tf.float16 else 1e-12
        return self._after(
            tf.nn.batch_normalization(
                inputs, mean, variance, self._beta, self._gamma, epsilon
            )
        )


class OneHot(tf_keras.layers.Layer):
    """tf.contrib.layers.one_hot_encoding, [..., num_classes]."""

    def __init__(self, num_classes, on_value=1.0, off_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self._arguments = num_classes, on_value, off_value

    def call(self, inputs):
        return tf.one_hot(tf.cast(inputs, tf.int64), *self._arguments)


def _as_image(shape):
    return [shape[0], 1, 1, shape[1]] if shape.rank == 2 else shape


def weights(model):
    """The weights of these layers in a model: tf.contrib.layers listed them as the model's."""
    kinds = (_ContribLayer, BatchNorm, LayerNorm)
    layers = [m for m in model.submodules if isinstance(m, kinds)]
    return list({id(w): w for layer in layers for w in layer.weights}.values())
