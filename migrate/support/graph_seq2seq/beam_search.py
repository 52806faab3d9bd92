"""Beam search: the decoder that follows the best sequences so far."""

import collections
import math

import tensorflow as tf

from .beams import gather_tree, sort_along_parents
from .decoding import Decoder
from .shapes import find_output_size, find_size, make_embedding_fn
from .wrapper import AttentionWrapperState

v1 = tf.compat.v1

# log_probs, finished and lengths: [batch, beams].
BeamSearchDecoderState = collections.namedtuple(
    "BeamSearchDecoderState",
    ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"),
)
# Each [batch, beams]; of all steps [time, batch, beams].
BeamSearchDecoderOutput = collections.namedtuple(
    "BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids")
)
# predicted_ids: [batch, time, beams], the best beam first.
FinalBeamSearchDecoderOutput = collections.namedtuple(
    "FinalBeamDecoderOutput", ("predicted_ids", "beam_search_decoder_output")
)


class BeamSearchDecoder(Decoder):
    """Follows the `beam_width` best sequences of each entry.

    Args:
      cell: an RNN cell, whose batch is [batch * beams].
      embedding: a function of ids, or a table for `tf.nn.embedding_lookup`.
      start_tokens: [batch], int32.
      end_token: a scalar, int32.
      initial_state: of the cell, as `tile_batch` makes it.
      beam_width: how many beams an entry has.
      output_layer: a layer that makes logits of the cell's outputs.
      length_penalty_weight: 0 for none; larger ones favour long sequences.
      coverage_penalty_weight: 0 for none; larger ones favour looking at all places.
      reorder_tensor_arrays: whether TensorArrays of the cell's state are brought into
        the order of the final beams, and stacked.
    """

    def __init__(
        self,
        cell,
        embedding,
        start_tokens,
        end_token,
        initial_state,
        beam_width,
        output_layer=None,
        length_penalty_weight=0.0,
        coverage_penalty_weight=0.0,
        reorder_tensor_arrays=True,
    ):
        self._cell = cell
        self._output_layer = output_layer
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight
        self._embedding_fn = make_embedding_fn(embedding)
        start_tokens = tf.convert_to_tensor(start_tokens, tf.int32, name="start_tokens")
        self._end_token = tf.convert_to_tensor(end_token, tf.int32, name="end_token")
        if start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = tf.size(start_tokens)
        self._initial_cell_state = tf.nest.map_structure(
            lambda part: self._split_beams(part) if _has_batch(part, 1) else part,
            initial_state,
        )
        self._start_tokens = tf.tile(start_tokens[:, None], [1, beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)
        # At first all beams are the same, and only one counts.
        self._finished = tf.one_hot(
            tf.zeros([self._batch_size], tf.int32),
            beam_width,
            on_value=False,
            off_value=True,
            dtype=tf.bool,
        )

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def tracks_own_finished(self):
        """Beams change their places, and `finished` goes with them."""
        return True

    @property
    def output_size(self):
        shape = tf.TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(shape, shape, shape)

    @property
    def output_dtype(self):
        dtype = tf.nest.flatten(self._initial_cell_state)[0].dtype
        return BeamSearchDecoderOutput(dtype, tf.int32, tf.int32)

    def _rnn_output_size(self):
        return find_output_size(self._cell, self._output_layer)

    def initialize(self, name=None):
        dtype = tf.nest.flatten(self._initial_cell_state)[0].dtype
        log_probs = tf.where(
            self._finished, tf.constant(-math.inf, dtype), tf.constant(0.0, dtype)
        )
        covered = ()
        if self._counts_coverage():
            covered = find_attention_probs(self._initial_cell_state)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state,
            log_probs=log_probs,
            finished=self._finished,
            lengths=tf.zeros_like(self._finished, tf.int64),
            accumulated_attention_probs=covered,
        )
        return self._finished, self._start_inputs, state

    def step(self, time, inputs, state, name=None):
        with v1.name_scope(name, "BeamSearchDecoderStep"):
            inputs = tf.nest.map_structure(self._merge_beams, inputs)
            cell_state = tf.nest.map_structure(
                lambda part: self._merge_beams(part) if _has_batch(part, 2) else part,
                state.cell_state,
            )
            outputs, cell_state = self._cell(inputs, cell_state)
            outputs = tf.nest.map_structure(self._split_beams, outputs)
            cell_state = tf.nest.map_structure(
                lambda part: self._split_beams(part) if _has_batch(part, 1) else part,
                cell_state,
            )
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            output, state = self._choose_beams(outputs, cell_state, state)
            next_inputs = v1.cond(
                tf.reduce_all(state.finished),
                lambda: self._start_inputs,  # Nothing reads them any more.
                lambda: self._embedding_fn(output.predicted_ids),
            )
        return output, state, next_inputs, state.finished

    def _choose_beams(self, logits, cell_state, state):
        """The best beams, of all that follow the last ones.

        Args:
          logits: [batch, beams, classes].
          cell_state: the next one of the cell, [batch, beams, ...].
          state: a BeamSearchDecoderState.
        """
        width, classes = self._beam_width, find_size(logits, -1)
        going_on = tf.logical_not(state.finished)
        step_probs = self._end_finished(tf.nn.log_softmax(logits), state.finished)
        totals = state.log_probs[:, :, None] + step_probs
        is_end = tf.one_hot(self._end_token, classes, dtype=tf.int64)
        added = (1 - is_end) * tf.cast(going_on, tf.int64)[:, :, None]
        lengths = state.lengths[:, :, None] + added
        covered = state.accumulated_attention_probs
        if self._counts_coverage():
            looked = find_attention_probs(cell_state)
            covered += looked * tf.cast(going_on, looked.dtype)[:, :, None]
        scores = self._find_scores(totals, lengths, state.finished, covered)

        flat = [self._batch_size, width * classes]
        best, places = tf.math.top_k(tf.reshape(scores, flat), k=width)
        shape = logits.shape[:1].concatenate(width)
        best.set_shape(shape)
        places.set_shape(shape)
        parents, ids = places // classes, places % classes

        def follow(part):
            """A part of the state in the order of the new beams."""
            return tf.gather(part, parents, axis=1, batch_dims=1)

        were_finished = follow(state.finished)
        next_state = BeamSearchDecoderState(
            cell_state=tf.nest.map_structure(
                lambda part: follow(part) if _has_batch(part, 2) else part, cell_state
            ),
            log_probs=tf.gather(tf.reshape(totals, flat), places, axis=1, batch_dims=1),
            finished=tf.logical_or(were_finished, tf.equal(ids, self._end_token)),
            lengths=follow(state.lengths)
            + tf.cast(tf.logical_not(were_finished), tf.int64),
            accumulated_attention_probs=tf.nest.map_structure(follow, covered),
        )
        return BeamSearchDecoderOutput(best, ids, parents), next_state

    def _end_finished(self, log_probs, finished):
        """Log-probabilities [batch, beams, classes]; what has finished only ends."""
        row = tf.one_hot(
            self._end_token,
            find_size(log_probs, -1),
            on_value=tf.constant(0.0, log_probs.dtype),
            off_value=log_probs.dtype.min,
            dtype=log_probs.dtype,
        )
        return tf.where(finished[:, :, None], row, log_probs)

    def _find_scores(self, log_probs, lengths, finished, covered):
        """What beams are compared by, [batch, beams, classes]."""
        weight = tf.convert_to_tensor(self._length_penalty_weight)
        if tf.get_static_value(weight) != 0:
            longer = (5.0 + tf.cast(lengths, tf.float32)) ** weight
            log_probs /= tf.cast(longer / (5.0 + 1.0) ** weight, log_probs.dtype)
        if not self._counts_coverage():
            return log_probs
        # Places beyond a memory's end were never looked at.
        covered = tf.where(tf.equal(covered, 0.0), tf.ones_like(covered), covered)
        penalty = tf.reduce_sum(tf.math.log(tf.minimum(covered, 1.0)), 2)
        penalty *= tf.cast(finished, penalty.dtype)
        return log_probs + (penalty * self._coverage_penalty_weight)[:, :, None]

    def _counts_coverage(self):
        weight = self._coverage_penalty_weight
        return tf.is_tensor(weight) or weight != 0.0

    def finalize(self, outputs, final_state, sequence_lengths):
        longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        ids = gather_tree(
            outputs.predicted_ids, outputs.parent_ids, longest, self._end_token
        )
        if self._reorder_tensor_arrays:
            cell_state = tf.nest.map_structure(
                lambda part: self._sort(part, outputs.parent_ids, final_state.lengths),
                final_state.cell_state,
            )
            final_state = final_state._replace(cell_state=cell_state)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    def _sort(self, part, parent_ids, lengths):
        """A TensorArray of all steps as a tensor, in the order of the final beams.

        It stays as it is where TF1 did not sort it: the batch and the second dimension
        of its elements are known.
        """
        if not isinstance(part, tf.TensorArray) or not part.element_shape.rank:
            return part
        batch = tf.get_static_value(self._batch_size)
        first, *rest = part.element_shape.as_list()
        if None not in (batch, first):
            if first != batch * self._beam_width or (rest and rest[0] is not None):
                return part
        return sort_along_parents(part.stack(), parent_ids, lengths)

    def _merge_beams(self, part):
        """[batch * beams, ...] of [batch, beams, ...]."""
        merged = tf.reshape(part, tf.concat([[-1], tf.shape(part)[2:]], 0))
        batch = tf.get_static_value(self._batch_size)
        batch = None if batch is None else batch * self._beam_width
        merged.set_shape(tf.TensorShape([batch]).concatenate(part.shape[2:]))
        return merged

    def _split_beams(self, part):
        """[batch, beams, ...] of [batch * beams, ...].

        Raises:
          ValueError: the batch is known, and is not tiled.
        """
        batch = tf.get_static_value(self._batch_size)
        known = tf.TensorShape([batch, self._beam_width]).concatenate(part.shape[1:])
        size = part.shape.as_list()[0]
        if None not in (size, batch) and size != batch * self._beam_width:
            raise ValueError(
                f"The beams of {part} do not have the shape {known}. Its batch size has "
                "to be batch_size * beam_width, as tile_batch makes it."
            )
        head = [self._batch_size, self._beam_width]
        split = tf.reshape(part, tf.concat([head, tf.shape(part)[1:]], 0))
        split.set_shape(known)
        return split


def _has_batch(part, rank):
    """Whether a part of a state has a batch: a tensor, of this rank at least.

    Raises:
      ValueError: its rank is unknown.
    """
    if isinstance(part, tf.TensorArray):
        return False
    if part.shape.rank is None:
        raise ValueError(f"Expected tensor ({part}) to have known rank")
    return part.shape.rank >= rank


def find_attention_probs(cell_state):
    """Alignments [batch, beams, time]: of several mechanisms and cells, their mean.

    Raises:
      ValueError: no cell has attention.
    """
    states = [cell_state]
    if not isinstance(cell_state, AttentionWrapperState):
        states = list(cell_state) if isinstance(cell_state, tuple) else []
    found = [
        _average(one.alignments)
        for one in states
        if isinstance(one, AttentionWrapperState)
    ]
    if not found:
        raise ValueError(
            "coverage_penalty_weight must be 0.0 if no cell is attentional."
        )
    return _average(tuple(found))


def _average(alignments):
    if not isinstance(alignments, tuple):
        return alignments
    if len(alignments) == 1:
        return alignments[0]
    return tf.reduce_mean(tf.stack(alignments, -1), -1)
