"""Decoders, and the loop that runs them."""

import collections

import tensorflow as tf

from .helpers import Helper
from .shapes import find_output_size, make_zeros, swap_batch_and_time

v1 = tf.compat.v1

# rnn_output: [batch, output size]; sample_id: [batch], int32.
BasicDecoderOutput = collections.namedtuple(
    "BasicDecoderOutput", ("rnn_output", "sample_id")
)


class Decoder:
    """What `dynamic_decode` runs: one step at a time."""

    @property
    def batch_size(self):
        raise NotImplementedError

    @property
    def output_size(self):
        """The sizes of a step's outputs, without the batch."""
        raise NotImplementedError

    @property
    def output_dtype(self):
        """The dtypes of a step's outputs."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self):
        """Whether `finished` of a step already includes what finished before."""
        return False

    def initialize(self, name=None):
        """What the loop begins with: (finished, inputs, state)."""
        raise NotImplementedError

    def step(self, time, inputs, state, name=None):
        """One step: (outputs, next state, next inputs, finished)."""
        raise NotImplementedError

    def finalize(self, outputs, final_state, sequence_lengths):
        """What the loop's results become: (outputs, state). It may be left out."""
        raise NotImplementedError


class BasicDecoder(Decoder):
    """A cell whose inputs come from a helper.

    Args:
      cell: an RNN cell.
      helper: gives inputs, and chooses ids.
      initial_state: of the cell.
      output_layer: a layer for the cell's outputs, before ids are chosen.
    """

    def __init__(self, cell, helper, initial_state, output_layer=None):
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self):
        return self._helper.batch_size

    def _rnn_output_size(self):
        return find_output_size(self._cell, self._output_layer)

    @property
    def output_size(self):
        return BasicDecoderOutput(
            self._rnn_output_size(), self._helper.sample_ids_shape
        )

    @property
    def output_dtype(self):
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        dtypes = tf.nest.map_structure(lambda _: dtype, self._rnn_output_size())
        return BasicDecoderOutput(dtypes, self._helper.sample_ids_dtype)

    def initialize(self, name=None):
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time, inputs, state, name=None):
        with v1.name_scope(name, "BasicDecoderStep"):
            outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=cell_state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), next_state, next_inputs, finished


def dynamic_decode(
    decoder,
    output_time_major=False,
    impute_finished=False,
    maximum_iterations=None,
    parallel_iterations=32,
    swap_memory=False,
    scope=None,
):
    """Runs a decoder until all sequences have finished.

    Args:
      decoder: a Decoder.
      output_time_major: whether outputs are [time, batch, ...], not [batch, time, ...].
      impute_finished: whether a sequence that has finished keeps its state and gives
        zeros.
      maximum_iterations: of the loop, a scalar; None for as many as it takes.
      parallel_iterations: of the loop.
      swap_memory: of the loop.
      scope: of the variables; "decoder" if None.

    Returns:
      (outputs, final state, lengths [batch]).
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(
            f"Expected decoder to be type Decoder, but saw: {type(decoder)}"
        )
    with v1.variable_scope(scope, "decoder") as varscope:
        # Variables are read once, before the loop; in a loop around this one they
        # have to be read anew.
        if varscope.caching_device is None and not _is_in_loop():
            varscope.set_caching_device(lambda operation: operation.device)
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(
                maximum_iterations, tf.int32, name="maximum_iterations"
            )
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        if maximum_iterations is not None:
            finished = tf.logical_or(finished, maximum_iterations <= 0)
        loop = _Loop(decoder, impute_finished)
        results = v1.while_loop(
            loop.goes_on,
            loop.step,
            (
                tf.constant(0),
                loop.make_arrays(),
                state,
                inputs,
                finished,
                tf.zeros_like(finished, tf.int32),
            ),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        _, arrays, final_state, _, _, lengths = results
        outputs = tf.nest.map_structure(lambda array: array.stack(), arrays)
        try:
            outputs, final_state = decoder.finalize(outputs, final_state, lengths)
        except NotImplementedError:
            pass  # Most decoders have nothing to do at the end.
        if not output_time_major:
            outputs = tf.nest.map_structure(swap_batch_and_time, outputs)
    return outputs, final_state, lengths


class _Loop:
    """The condition and the body of the loop over a decoder's steps."""

    def __init__(self, decoder, imputes):
        self._decoder, self._imputes = decoder, imputes
        self._zeros = make_zeros(
            decoder.output_size, decoder.batch_size, decoder.output_dtype
        )

    def make_arrays(self):
        """A TensorArray for each output, which grows."""

        def make(zeros, size, dtype):
            known = isinstance(size, tf.TensorShape) and size.rank != 0
            shape = zeros.shape if known else None
            return tf.TensorArray(dtype, 0, dynamic_size=True, element_shape=shape)

        decoder = self._decoder
        return tf.nest.map_structure(
            make, self._zeros, decoder.output_size, decoder.output_dtype
        )

    def goes_on(self, time, arrays, state, inputs, finished, lengths):
        return tf.logical_not(tf.reduce_all(finished))

    def step(self, time, arrays, state, inputs, finished, lengths):
        outputs, next_state, next_inputs, ends = self._decoder.step(time, inputs, state)
        if not self._decoder.tracks_own_finished:
            ends = tf.logical_or(ends, finished)
        tf.nest.assert_same_structure(state, next_state)
        tf.nest.assert_same_structure(arrays, outputs)
        tf.nest.assert_same_structure(inputs, next_inputs)
        counted = tf.fill(tf.shape(lengths), time + 1)
        lengths = tf.where(finished, lengths, counted)
        if self._imputes:
            outputs = tf.nest.map_structure(
                lambda output, zeros: v1.where(finished, zeros, output),
                outputs,
                self._zeros,
            )
            next_state = tf.nest.map_structure(
                lambda new, old: _keep_if(finished, old, new), next_state, state
            )
        arrays = tf.nest.map_structure(
            lambda array, output: array.write(time, output), arrays, outputs
        )
        return time + 1, arrays, next_state, next_inputs, ends, lengths


def _keep_if(finished, old, new):
    """A part of a state: the old one where a sequence has finished."""
    if isinstance(old, tf.TensorArray):
        return new
    new.set_shape(old.shape)
    return new if new.shape.rank == 0 else v1.where(finished, old, new)


def _is_in_loop():
    """Whether a tf.while_loop is being built."""
    context = v1.get_default_graph()._get_control_flow_context()
    while context is not None and not context.IsWhileContext():
        context = context.outer_context
    return context is not None
