"""Recurrent cells of tf.contrib.rnn that normalise or convolve, in graph mode.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. Its variables have the names that they have in TensorFlow 1's
checkpoints.
"""

import logging

import tensorflow as tf

v1 = tf.compat.v1


class LayerNormBasicLSTMCell(v1.nn.rnn_cell.RNNCell):
    """An LSTM whose gates and state are normalised, and whose candidates may drop out.

    Args:
      num_units: the size of its state and of what it gives out.
      layer_norm: whether it normalises; it has a bias otherwise.
      norm_gain, norm_shift: what the normalisation's variables begin with.
      dropout_keep_prob: how much of the candidates is kept.
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        input_size=None,
        activation=tf.tanh,
        layer_norm=True,
        norm_gain=1.0,
        norm_shift=0.0,
        dropout_keep_prob=1.0,
        dropout_prob_seed=None,
        reuse=None,
    ):
        super().__init__(_reuse=reuse)
        if input_size is not None:
            logging.warning("%s does not use its input_size.", self)
        self._num_units = num_units
        self._activation = activation
        self._forget_bias = forget_bias
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed
        self._normalises = layer_norm
        self._gain, self._shift = norm_gain, norm_shift

    @property
    def state_size(self):
        return v1.nn.rnn_cell.LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        return self._num_units

    def call(self, inputs, state):
        """One step: what is given out, and the next state."""
        before, hidden = state
        given = tf.concat([inputs, hidden], 1)
        size = 4 * self._num_units
        kernel = v1.get_variable("kernel", [given.shape[-1], size], given.dtype)
        gates = tf.matmul(given, kernel)
        if not self._normalises:
            gates = tf.nn.bias_add(
                gates, v1.get_variable("bias", [size], dtype=given.dtype)
            )
        names = "input", "transform", "forget", "output"
        entered, candidates, kept, shown = map(
            self._normalise, tf.split(gates, 4, axis=1), names
        )
        candidates = self._activation(candidates)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            candidates = v1.nn.dropout(candidates, self._keep_prob, seed=self._seed)
        carried = before * tf.sigmoid(kept + self._forget_bias)
        after = self._normalise(carried + tf.sigmoid(entered) * candidates, "state")
        outputs = self._activation(after) * tf.sigmoid(shown)
        return outputs, v1.nn.rnn_cell.LSTMStateTuple(after, outputs)

    def _normalise(self, values, scope):
        """Each row with a mean of 0 and a variance of 1, then scaled and shifted."""
        if not self._normalises:
            return values
        with v1.variable_scope(scope):
            gamma, beta = (
                v1.get_variable(
                    name,
                    shape=values.shape[-1:],
                    initializer=v1.constant_initializer(first),
                    dtype=values.dtype,
                )
                for name, first in (("gamma", self._gain), ("beta", self._shift))
            )
        mean, variance = tf.nn.moments(values, [1], keepdims=True)
        epsilon = 1e-3 if values.dtype == tf.float16 else 1e-12
        return tf.nn.batch_normalization(values, mean, variance, beta, gamma, epsilon)


class ConvLSTMCell(v1.nn.rnn_cell.RNNCell):
    """An LSTM whose gates are convolutions of what it is given.

    Args:
      conv_ndims: over how many dimensions it convolves: 1, 2 or 3.
      input_shape: a list of sizes, without the batch's.
      output_channels: how many channels its state has.
      kernel_shape: the sizes of its kernel.
      skip_connection: whether what it gives out ends with what it is given.
      initializers: is not used.
    """

    def __init__(
        self,
        conv_ndims,
        input_shape,
        output_channels,
        kernel_shape,
        use_bias=True,
        skip_connection=False,
        forget_bias=1.0,
        initializers=None,
        name="conv_lstm_cell",
    ):
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(
                f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}."
            )
        self._ndims, self._channels = conv_ndims, output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias, self._forget_bias = use_bias, forget_bias
        self._skips = skip_connection
        size = tf.TensorShape(input_shape[:-1] + [output_channels])
        self._state_size = v1.nn.rnn_cell.LSTMStateTuple(size, size)
        shown = output_channels + (input_shape[-1] if skip_connection else 0)
        self._output_size = tf.TensorShape(input_shape[:-1] + [shown])

    @property
    def state_size(self):
        return self._state_size

    @property
    def output_size(self):
        return self._output_size

    def call(self, inputs, state, scope=None):
        """One step: what is given out, and the next state, which contains it."""
        before, hidden = state
        parts = tf.split(self._convolve(inputs, hidden), 4, axis=self._ndims + 1)
        entered, candidates, kept, shown = parts
        after = tf.sigmoid(kept + self._forget_bias) * before
        after += tf.sigmoid(entered) * tf.tanh(candidates)
        output = tf.tanh(after) * tf.sigmoid(shown)
        if self._skips:
            output = tf.concat([output, inputs], axis=-1)
        return output, v1.nn.rnn_cell.LSTMStateTuple(after, output)

    def _convolve(self, inputs, hidden):
        """All four gates, side by side."""
        channels = inputs.shape[-1] + hidden.shape[-1]
        size = 4 * self._channels
        shape = [*self._kernel_shape, channels, size]
        kernel = v1.get_variable("kernel", shape, dtype=inputs.dtype)
        given = tf.concat([inputs, hidden], axis=-1)
        found = tf.nn.convolution(given, kernel, padding="SAME")
        if not self._use_bias:
            return found
        zeros = v1.constant_initializer(0.0, dtype=inputs.dtype)
        biases = v1.get_variable(
            "biases", [size], dtype=inputs.dtype, initializer=zeros
        )
        return found + biases


class Conv1DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell over one dimension."""

    def __init__(self, name="conv_1d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell over two dimensions."""

    def __init__(self, name="conv_2d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell over three dimensions."""

    def __init__(self, name="conv_3d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=3, name=name, **kwargs)
