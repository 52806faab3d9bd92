"""The recurrent cell of tf.contrib.rnn that normalises its gates, in graph mode.

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
