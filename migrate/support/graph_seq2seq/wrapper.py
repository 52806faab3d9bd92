"""A cell that looks at memories by attention."""

import collections

import tensorflow as tf

from .attention import AttentionMechanism, make_layer
from .shapes import find_size, make_zeros

v1 = tf.compat.v1

_FIELDS = (
    *("cell_state", "attention", "time", "alignments", "alignment_history"),
    "attention_state",
)
_TILED = (
    "With a BeamSearchDecoder, the memory, its lengths, the cell's state and the batch "
    "size are those of tile_batch, with multiplier=beam_width."
)


class AttentionWrapperState(collections.namedtuple("AttentionWrapperState", _FIELDS)):
    """What an AttentionWrapper passes on.

    Attributes:
      cell_state: of the wrapped cell.
      attention: [batch, size], given out in the step before.
      time: a scalar, int32.
      alignments: [batch, time of the memory]; a tuple for several mechanisms.
      alignment_history: TensorArrays of alignments, or ().
      attention_state: of the mechanisms.
    """

    def clone(self, **kwargs):
        """The state with other parts, whose shapes must be the same."""

        def check_shape(old, new):
            if isinstance(old, tf.Tensor) and isinstance(new, tf.Tensor):
                return tf.ensure_shape(new, old.shape)
            return new

        return tf.nest.map_structure(check_shape, self, self._replace(**kwargs))


class AttentionWrapper(v1.nn.rnn_cell.RNNCell):
    """A cell with attention: what it looked at is part of its next inputs.

    Args:
      cell: an RNN cell.
      attention_mechanism: one, or a list of them.
      attention_layer_size: the size of a layer over outputs and contexts, or a list of
        sizes; without it the context itself is the attention.
      alignment_history: whether the state keeps all alignments.
      cell_input_fn: from inputs and attention to inputs; side by side if None.
      output_attention: whether the attention is given out; or else the cell's outputs.
      initial_cell_state: what `zero_state` gives for the cell.
      name: of the cell.
      attention_layer: a layer, or a list of them, in place of their sizes.
      attention_fn: from a mechanism, outputs, its state and a layer to attention,
        alignments and the next state.
      dtype: of the cell.
    """

    def __init__(
        self,
        cell,
        attention_mechanism,
        attention_layer_size=None,
        alignment_history=False,
        cell_input_fn=None,
        output_attention=True,
        initial_cell_state=None,
        name=None,
        attention_layer=None,
        attention_fn=None,
        dtype=None,
    ):
        super().__init__(name=name, dtype=dtype)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = _list_all(attention_mechanism)
        for one in mechanisms:
            if not isinstance(one, AttentionMechanism):
                raise TypeError(f"It is no AttentionMechanism: {type(one).__name__}")
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError(
                "Only one of attention_layer_size and attention_layer should be set"
            )
        layers = None
        if attention_layer_size is not None:
            sizes = _list_all(attention_layer_size)
            _check_count("attention_layer_size", sizes, mechanisms)
            layers = tuple(
                make_layer(size, "attention_layer", one.dtype)
                for size, one in zip(sizes, mechanisms)
            )
        elif attention_layer is not None:
            layers = _list_all(attention_layer)
            _check_count("attention_layer", layers, mechanisms)
            sizes = [
                _find_depth(
                    layer.compute_output_shape(
                        [None, cell.output_size + _find_depth(one.values.shape)]
                    )
                )
                for layer, one in zip(layers, mechanisms)
            ]
        else:
            sizes = [_find_depth(one.values.shape) for one in mechanisms]
        self._attention_layers = layers
        self._attention_layer_size = sum(sizes)
        self._attention_fn = attention_fn or compute_attention
        self._cell = cell
        self._attention_mechanisms = mechanisms
        self._cell_input_fn = cell_input_fn or _set_side_by_side
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        self._initial_cell_state = None
        with v1.name_scope(name, "AttentionWrapperInit"):
            if initial_cell_state is not None:
                last = tf.nest.flatten(initial_cell_state)[-1]
                self._initial_cell_state = self._check_batch(
                    find_size(last, 0), initial_cell_state, "check_initial_cell_state"
                )

    def _check_batch(self, batch_size, parts, name):
        """The same tensors, after a check that they are of the memories' batch."""
        checks = [
            v1.assert_equal(
                batch_size,
                one.batch_size,
                message=f"{self.name}: the memory is of another batch size. {_TILED}",
            )
            for one in self._attention_mechanisms
        ]
        with v1.control_dependencies(checks):
            return tf.nest.map_structure(lambda s: tf.identity(s, name=name), parts)

    def _item_or_tuple(self, seq):
        """One thing, or a tuple where several mechanisms were given."""
        found = tuple(seq)
        return found if self._is_multi else found[0]

    @property
    def output_size(self):
        if self._output_attention:
            return self._attention_layer_size
        return self._cell.output_size

    @property
    def state_size(self):
        every = self._attention_mechanisms
        keeps = self._alignment_history
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            attention=self._attention_layer_size,
            time=tf.TensorShape([]),
            alignments=self._item_or_tuple(one.alignments_size for one in every),
            alignment_history=self._item_or_tuple(
                one.alignments_size if keeps else () for one in every
            ),
            attention_state=self._item_or_tuple(one.state_size for one in every),
        )

    def zero_state(self, batch_size, dtype):
        """The state before the first step.

        Args:
          batch_size: a number or a scalar tensor.
          dtype: of the state.
        """
        every = self._attention_mechanisms
        with v1.name_scope(f"{type(self).__name__}ZeroState"):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            cell_state = self._check_batch(batch_size, cell_state, "checked_cell_state")
            alignments = [one.initial_alignments(batch_size, dtype) for one in every]
            return AttentionWrapperState(
                cell_state=cell_state,
                attention=make_zeros(self._attention_layer_size, batch_size, dtype),
                time=tf.zeros([], tf.int32),
                alignments=self._item_or_tuple(alignments),
                alignment_history=self._item_or_tuple(
                    tf.TensorArray(
                        dtype, 0, dynamic_size=True, element_shape=first.shape
                    )
                    if self._alignment_history
                    else ()
                    for first in alignments
                ),
                attention_state=self._item_or_tuple(
                    one.initial_state(batch_size, dtype) for one in every
                ),
            )

    def call(self, inputs, state):
        """One step: (outputs, next state).

        Args:
          inputs: [batch, depth].
          state: an AttentionWrapperState.

        Raises:
          TypeError: it is none.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f"It is no AttentionWrapperState: {type(state)}")
        inputs = self._cell_input_fn(inputs, state.attention)
        outputs, cell_state = self._cell(inputs, state.cell_state)
        outputs = self._check_batch(
            find_size(outputs, 0), outputs, "checked_cell_output"
        )
        states = _list_all(state.attention_state, self._is_multi)
        histories = _list_all(state.alignment_history, self._is_multi)
        found = []
        for place, mechanism in enumerate(self._attention_mechanisms):
            layer = self._attention_layers[place] if self._attention_layers else None
            attention, alignments, after = self._attention_fn(
                mechanism, outputs, states[place], layer
            )
            history = ()
            if self._alignment_history:
                history = histories[place].write(state.time, alignments)
            found.append((attention, alignments, history, after))
        attentions, alignments, histories, states = zip(*found)
        attention = tf.concat(attentions, 1)
        next_state = AttentionWrapperState(
            cell_state=cell_state,
            attention=attention,
            time=state.time + 1,
            alignments=self._item_or_tuple(alignments),
            alignment_history=self._item_or_tuple(histories),
            attention_state=self._item_or_tuple(states),
        )
        return (attention if self._output_attention else outputs), next_state


def compute_attention(
    attention_mechanism, cell_output, attention_state, attention_layer
):
    """The attention of one mechanism, its alignments, and its next state.

    Args:
      attention_mechanism: its values are [batch, time, depth].
      cell_output: [batch, size].
      attention_state: of the mechanism.
      attention_layer: over outputs and contexts, or None.
    """
    alignments, after = attention_mechanism(cell_output, state=attention_state)
    context = tf.matmul(alignments[:, None], attention_mechanism.values)
    context = tf.squeeze(context, [1])
    if attention_layer is None:
        return context, alignments, after
    attention = attention_layer(tf.concat([cell_output, context], 1))
    return attention, alignments, after


def _set_side_by_side(inputs, attention):
    return tf.concat([inputs, attention], -1)


def _list_all(given, several=None):
    """A tuple of one thing, or of several."""
    if several is None:
        several = isinstance(given, (list, tuple))
    return tuple(given) if several else (given,)


def _check_count(name, given, mechanisms):
    if len(given) != len(mechanisms):
        raise ValueError(
            f"{name} must have one entry for each attention mechanism: "
            f"{len(given)}, not {len(mechanisms)}"
        )


def _find_depth(shape):
    return tf.TensorShape(shape).as_list()[-1]
