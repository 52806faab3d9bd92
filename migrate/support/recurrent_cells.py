"""What tf.nn.rnn_cell, tf.contrib.rnn and tf.nn.dynamic_rnn computed in TensorFlow 1.

Written beside your program by tf1to2, together with training_session; it is yours
to read and change. It needs TensorFlow 2.15 or later.

    cell = BasicLSTMCell(128)                     # under replicas.recording()

    def train_step(x):                            # x: [batch, time, features]
        outputs, state = dynamic_rnn(cell, x, dtype=tf.float32)

A cell makes its variables when it is first applied, under the names that TF1 gave them
(`rnn/basic_lstm_cell/kernel`), so that TF1's checkpoints fit. Gates are in TF1's order:
i, j, f, o for an LSTM; r, u for a GRU.
"""

import collections

import tensorflow as tf

LSTMStateTuple = collections.namedtuple("LSTMStateTuple", ("c", "h"))


class RNNCell(tf.Module):
    """What all cells have: a size of state and output, and a state of zeros.

    Attributes:
      state_size: an integer, or a structure of them.
      output_size: an integer.
    """

    def __init__(self, name=None, dtype=None):
        super().__init__()
        self._label = name or self.default_name
        self._dtype = dtype
        self._made = {}

    def zero_state(self, batch_size, dtype):
        return tf.nest.map_structure(
            lambda size: tf.zeros([batch_size, size], dtype), self.state_size
        )

    def _variable(self, name, shape, dtype, initializer=None):
        """The variable of this name; made with the first call.

        TF1's default were Glorot's uniform values.
        """
        if name not in self._made:
            initializer = initializer or tf.compat.v1.glorot_uniform_initializer()
            if isinstance(initializer, type):
                initializer = initializer()
            with tf.init_scope(), tf.name_scope(self._scope):
                self._made[name] = tf.Variable(
                    lambda: initializer(tf.TensorShape(shape), dtype=dtype),
                    name=name,
                    dtype=dtype,
                )
        return self._made[name]

    def __call__(self, inputs, state, scope=None):
        """One step: what is given out, and the next state.

        Args:
          inputs: [batch, features].
          state: of `state_size`, each part [batch, size].
          scope: what TF1 called the variables' scope in place of the cell's own name.
        """
        inputs = tf.convert_to_tensor(inputs)
        if not self._made:
            outer = tf.get_current_name_scope()
            label = scope if isinstance(scope, str) else self._label
            # With a slash at its end a scope is taken as it is, not numbered.
            self._scope = (outer + "/" if outer else "") + label + "/"
        return self.step(inputs, state)

    def _affine(self, inputs, size, name="", kernel=None, bias=None):
        """`inputs @ kernel + bias`; inputs are tensors side by side."""
        inputs = tf.concat(inputs, 1)
        depth = inputs.shape[-1]
        if depth is None:
            raise ValueError("The last dimension of a cell's inputs has to be known.")
        weights = self._variable(
            name + "kernel", [depth, size], inputs.dtype, initializer=kernel
        )
        offsets = self._variable(
            name + "bias", [size], inputs.dtype, initializer=bias or _zeros
        )
        return tf.nn.bias_add(tf.matmul(inputs, weights), offsets)


def _zeros(shape, dtype):
    return tf.zeros(shape, dtype)


def _ones(shape, dtype):
    return tf.ones(shape, dtype)


class BasicRNNCell(RNNCell):
    """`activation([x, h] @ kernel + bias)`."""

    default_name = "basic_rnn_cell"

    def __init__(
        self,
        num_units,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
        kernel_initializer=None,
    ):
        super().__init__(name, dtype)
        self._activation = activation or tf.tanh
        self._kernel = kernel_initializer
        self.state_size = self.output_size = num_units

    def step(self, inputs, state):
        output = self._activation(
            self._affine([inputs, state], self.output_size, "", self._kernel)
        )
        return output, output


class GRUCell(RNNCell):
    """`u * h + (1 - u) * activation([x, r * h] @ kernel + bias)`; gates begin at bias 1."""

    default_name = "gru_cell"

    def __init__(
        self,
        num_units,
        activation=None,
        reuse=None,
        kernel_initializer=None,
        bias_initializer=None,
        name=None,
        dtype=None,
    ):
        super().__init__(name, dtype)
        self._activation = activation or tf.tanh
        self._kernel, self._bias = kernel_initializer, bias_initializer
        self.state_size = self.output_size = num_units

    def step(self, inputs, state):
        gates = self._affine(
            [inputs, state],
            2 * self.output_size,
            "gates/",
            self._kernel,
            self._bias or _ones,
        )
        r, u = tf.split(tf.sigmoid(gates), 2, axis=1)
        candidate = self._activation(
            self._affine(
                [inputs, r * state],
                self.output_size,
                "candidate/",
                self._kernel,
                self._bias,
            )
        )
        new = u * state + (1 - u) * candidate
        return new, new


class BasicLSTMCell(RNNCell):
    """`c' = c * sigmoid(f + forget_bias) + sigmoid(i) * activation(j)`."""

    default_name = "basic_lstm_cell"

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
        kernel_initializer=None,
    ):
        super().__init__(name, dtype)
        self._activation = activation or tf.tanh
        self._kernel = kernel_initializer
        self._forget_bias, self._tuple = forget_bias, state_is_tuple
        self.output_size = num_units
        self.state_size = (
            LSTMStateTuple(num_units, num_units) if state_is_tuple else 2 * num_units
        )

    def step(self, inputs, state):
        c, h = state if self._tuple else tf.split(state, 2, axis=1)
        gates = self._affine([inputs, h], 4 * self.output_size, "", self._kernel)
        i, j, f, o = tf.split(gates, 4, axis=1)
        forget = tf.constant(self._forget_bias, f.dtype)
        new_c = c * tf.sigmoid(f + forget) + tf.sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * tf.sigmoid(o)
        if self._tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, tf.concat([new_c, new_h], 1)


class LSTMCell(RNNCell):
    """An LSTM with peepholes, clipping and a projection of its output, where asked for."""

    default_name = "lstm_cell"

    def __init__(
        self,
        num_units,
        use_peepholes=False,
        cell_clip=None,
        initializer=None,
        num_proj=None,
        proj_clip=None,
        num_unit_shards=None,
        num_proj_shards=None,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
    ):
        if num_unit_shards or num_proj_shards:
            raise ValueError("Cells that are split into shards have no counterpart.")
        super().__init__(name, dtype)
        self._activation = activation or tf.tanh
        self._units, self._peepholes, self._initializer = (
            num_units,
            use_peepholes,
            initializer,
        )
        self._cell_clip, self._projected, self._clip = cell_clip, num_proj, proj_clip
        self._forget_bias, self._tuple = forget_bias, state_is_tuple
        self.output_size = num_proj or num_units
        self.state_size = LSTMStateTuple(num_units, self.output_size)
        if not state_is_tuple:
            self.state_size = num_units + self.output_size

    def _peep(self, gate, c):
        if not self._peepholes:
            return 0.0
        name = f"w_{gate}_diag"
        return self._variable(name, [self._units], c.dtype, self._initializer) * c

    def step(self, inputs, state):
        c, h = (
            state
            if self._tuple
            else tf.split(state, [self._units, self.output_size], axis=1)
        )
        gates = self._affine([inputs, h], 4 * self._units, "", self._initializer)
        i, j, f, o = tf.split(gates, 4, axis=1)
        forget, take = f + self._forget_bias, i
        if self._peepholes:
            forget, take = forget + self._peep("f", c), take + self._peep("i", c)
        new_c = tf.sigmoid(forget) * c + tf.sigmoid(take) * self._activation(j)
        if self._cell_clip is not None:
            new_c = tf.clip_by_value(new_c, -self._cell_clip, self._cell_clip)
        if self._peepholes:
            o = o + self._peep("o", new_c)
        new_h = tf.sigmoid(o) * self._activation(new_c)
        if self._projected is not None:
            projection = self._variable(
                "projection/kernel",
                [self._units, self._projected],
                new_h.dtype,
                self._initializer,
            )
            new_h = tf.matmul(new_h, projection)
            if self._clip is not None:
                new_h = tf.clip_by_value(new_h, -self._clip, self._clip)
        if self._tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, tf.concat([new_c, new_h], 1)


class MultiRNNCell(RNNCell):
    """Cells one upon the other; of each the state.

    Raises:
      ValueError: one cell is given several times, and its inputs differ in size.
    """

    default_name = "multi_rnn_cell"

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        self._cells, self._tuple = list(cells), state_is_tuple
        self.output_size = self._cells[-1].output_size
        self.state_size = tuple(cell.state_size for cell in self._cells)
        if not state_is_tuple:
            self.state_size = sum(self.state_size)

    def step(self, inputs, state):
        new = []
        if not self._tuple:
            sizes = [cell.state_size for cell in self._cells]
            state = tf.split(state, sizes, axis=1)
        for number, (cell, own) in enumerate(zip(self._cells, state)):
            with tf.name_scope(f"{self._scope}cell_{number}/"):
                inputs, own = cell(inputs, own)
            new.append(own)
        return inputs, tuple(new) if self._tuple else tf.concat(new, 1)


class DropoutWrapper(RNNCell):
    """A cell whose inputs and outputs are dropped by chance; of its state only h."""

    default_name = ""

    def __init__(
        self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0
    ):
        super().__init__()
        self._cell = cell
        self._keep = (input_keep_prob, output_keep_prob, state_keep_prob)
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def __call__(self, inputs, state, scope=None):
        keep_input, keep_output, keep_state = self._keep
        output, new = self._cell(_dropped(inputs, keep_input), state, scope)
        if not _is_one(keep_state):
            new = _without_some_state(new, keep_state)
        return _dropped(output, keep_output), new


def _is_one(keep):
    return isinstance(keep, (int, float)) and keep >= 1


def _dropped(values, keep):
    return values if _is_one(keep) else tf.compat.v1.nn.dropout(values, keep_prob=keep)


def _without_some_state(state, keep):
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(state.c, _dropped(state.h, keep))
    if isinstance(state, tuple):
        return tuple(_without_some_state(part, keep) for part in state)
    return _dropped(state, keep)


class ResidualWrapper(RNNCell):
    """A cell whose inputs are added to its outputs."""

    default_name = ""

    def __init__(self, cell):
        super().__init__()
        self._cell = cell
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def __call__(self, inputs, state, scope=None):
        output, new = self._cell(inputs, state, scope)
        return inputs + output, new


# -- over time ---------------------------------------------------------------------------


def dynamic_rnn(
    cell,
    inputs,
    sequence_length=None,
    initial_state=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """A cell over all steps of a sequence.

    Args:
      inputs: [batch, time, features], or [time, batch, features] where time_major.
      sequence_length: [batch] steps each of which counts: outputs are zero, and states
        stay, beyond; None where all do.

    Returns:
      The outputs, shaped as the inputs, and the last states.
    """
    inputs = tf.convert_to_tensor(inputs)
    if not time_major:
        inputs = tf.transpose(inputs, [1, 0, 2])
    steps, batch = tf.shape(inputs)[0], tf.shape(inputs)[1]
    state = initial_state
    if state is None:
        state = cell.zero_state(batch, dtype)
    state = tf.nest.map_structure(tf.convert_to_tensor, state)
    with tf.name_scope(_scope(scope or "rnn")) as name:
        # The variables are made before the loop, whose body is a graph of its own.
        cell(tf.zeros([1, inputs.shape[2]], inputs.dtype), _one_row(state))
    outputs = tf.TensorArray(
        inputs.dtype, steps, element_shape=[None, cell.output_size]
    )

    def step(time, outputs, state):
        with tf.name_scope(name):
            output, new = cell(inputs[time], state)
        if sequence_length is not None:
            output, new = _within(time, sequence_length, output, new, state)
        return time + 1, outputs.write(time, output), new

    _, outputs, state = tf.while_loop(
        lambda time, *_: time < steps,
        step,
        (tf.constant(0), outputs, state),
        parallel_iterations=parallel_iterations or 32,
        swap_memory=swap_memory,
        maximum_iterations=steps,
    )
    stacked = outputs.stack()
    stacked.set_shape([inputs.shape[0], inputs.shape[1], cell.output_size])
    if not time_major:
        stacked = tf.transpose(stacked, [1, 0, 2])
    return stacked, state


def _one_row(state):
    return tf.nest.map_structure(lambda part: tf.zeros_like(part[:1]), state)


def _scope(name):
    """A scope that is not numbered when it is entered again, as a variable scope was."""
    outer = tf.get_current_name_scope()
    return (outer + "/" if outer else "") + name + "/"


def _within(time, lengths, output, new, old):
    """Zeros and the old state where a sequence has ended."""
    goes_on = (time < tf.cast(lengths, tf.int32))[:, tf.newaxis]
    state = tf.nest.map_structure(lambda n, o: tf.where(goes_on, n, o), new, old)
    return tf.where(goes_on, output, tf.zeros_like(output)), state


def static_rnn(
    cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None
):
    """A cell over a list of steps.

    Args:
      inputs: a list of [batch, features].

    Returns:
      The list of outputs, and the last state.
    """
    state = initial_state
    if state is None:
        state = cell.zero_state(tf.shape(inputs[0])[0], dtype)
    outputs = []
    for time, value in enumerate(inputs):
        with tf.name_scope(_scope(scope or "rnn")):
            output, new = cell(value, state)
        if sequence_length is not None:
            output, new = _within(time, sequence_length, output, new, state)
        outputs.append(output)
        state = new
    return outputs, state


def bidirectional_dynamic_rnn(
    cell_fw,
    cell_bw,
    inputs,
    sequence_length=None,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """Two cells, one from the end to the beginning.

    Returns:
      Outputs and last states, each of both directions.
    """

    def turned(values):
        batch_axis = 1 if time_major else 0
        if sequence_length is None:
            return tf.reverse(values, [1 - batch_axis])
        return tf.reverse_sequence(
            values, sequence_length, seq_axis=1 - batch_axis, batch_axis=batch_axis
        )

    def over(cell, values, state, name):
        return dynamic_rnn(
            cell,
            values,
            sequence_length,
            state,
            dtype,
            parallel_iterations,
            swap_memory,
            time_major,
            name,
        )

    with tf.name_scope(_scope(scope or "bidirectional_rnn")):
        forward, last_fw = over(cell_fw, inputs, initial_state_fw, "fw")
        back, last_bw = over(cell_bw, turned(inputs), initial_state_bw, "bw")
    return (forward, turned(back)), (last_fw, last_bw)


def static_bidirectional_rnn(
    cell_fw,
    cell_bw,
    inputs,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    sequence_length=None,
    scope=None,
):
    """Two cells over a list of steps; sequences of one length.

    Returns:
      The list of both outputs side by side, and the last states.
    """
    if sequence_length is not None:
        raise ValueError(
            "Use bidirectional_dynamic_rnn for sequences of other lengths."
        )
    with tf.name_scope(_scope(scope or "bidirectional_rnn")):
        forward, last_fw = static_rnn(
            cell_fw, inputs, initial_state_fw, dtype, scope="fw"
        )
        back, last_bw = static_rnn(
            cell_bw, list(reversed(inputs)), initial_state_bw, dtype, scope="bw"
        )
    outputs = [tf.concat(pair, 1) for pair in zip(forward, reversed(back))]
    return outputs, last_fw, last_bw
