"""Each helper, each mechanism and each function of tf.contrib.seq2seq, line by line."""

import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq

tf.app.flags.DEFINE_string("dir", "/tmp/each_piece", "Where lines are written.")
FLAGS = tf.app.flags.FLAGS

BATCH, TIME, DEPTH, UNITS, CLASSES = 3, 5, 4, 6, 7
LENGTHS = [5, 2, 3]
EOS = 1


def values(seed, *shape):
    return np.random.RandomState(seed).randn(*shape).astype("float32")


class Parts:
    """Tensors that decoders share."""

    def __init__(self):
        self.inputs = tf.get_variable(
            "inputs", initializer=values(1, BATCH, TIME, DEPTH)
        )
        self.lengths = tf.constant(LENGTHS)
        self.memory = tf.get_variable("memory", initializer=values(2, BATCH, 4, UNITS))
        self.memory_lengths = tf.constant([4, 1, 3])
        self.table = tf.get_variable("table", initializer=values(3, CLASSES, DEPTH))
        self.start = tf.zeros([BATCH], tf.int32)


def decode(parts, helper, cell=None, state=None, **options):
    """Outputs, state and lengths of a decoder with a projection."""
    cell = cell or tf.nn.rnn_cell.GRUCell(UNITS)
    if state is None:
        state = cell.zero_state(BATCH, tf.float32)
    layer = tf.layers.Dense(CLASSES, name="projection")
    decoder = seq2seq.BasicDecoder(cell, helper, state, layer)
    return seq2seq.dynamic_decode(decoder, maximum_iterations=6, **options)


def with_gradient(outputs, *variables):
    """A sum of logits and its gradients."""
    total = tf.reduce_sum(tf.square(outputs.rnn_output))
    found = [tf.convert_to_tensor(g) for g in tf.gradients(total, variables)]
    return [total] + [tf.reduce_sum(tf.abs(g)) for g in found]


def helpers(parts):
    """Name -> what a decoder with each helper gives."""
    found = {}
    # What is drawn does not wait for the step before, and the next step may come first.
    in_turn = {"parallel_iterations": 1}

    def add(name, helper, **options):
        with tf.variable_scope(name):
            outputs, state, lengths = decode(parts, helper, **options)
            found[name] = (
                with_gradient(outputs, parts.inputs, parts.table)
                if ("scheduled" in name)
                else [outputs.rnn_output]
            )
            found[name] += [outputs.sample_id, state, lengths]

    add("training", seq2seq.TrainingHelper(parts.inputs, parts.lengths))
    add(
        "imputed",
        seq2seq.TrainingHelper(
            tf.transpose(parts.inputs, [1, 0, 2]), parts.lengths, time_major=True
        ),
        impute_finished=True,
        output_time_major=True,
    )
    add(
        "scheduled_ids",
        seq2seq.ScheduledEmbeddingTrainingHelper(
            parts.inputs, parts.lengths, parts.table, 0.5, seed=11, scheduling_seed=12
        ),
        **in_turn,
    )
    project = tf.layers.Dense(DEPTH, name="feed", use_bias=False)
    add(
        "scheduled_outputs",
        seq2seq.ScheduledOutputTrainingHelper(
            tf.concat([parts.inputs, parts.inputs[:, :, :3]], 2)
            + tf.reduce_sum(parts.table),
            parts.lengths,
            0.4,
            seed=13,
        ),
        **in_turn,
    )
    add(
        "scheduled_beside",
        seq2seq.ScheduledOutputTrainingHelper(
            parts.inputs + tf.reduce_sum(parts.table),
            parts.lengths,
            0.6,
            seed=14,
            next_inputs_fn=project,
            auxiliary_inputs=parts.inputs[:, :, :2],
        ),
        **in_turn,
    )
    add("greedy", seq2seq.GreedyEmbeddingHelper(parts.table, parts.start, EOS))
    add(
        "drawn",
        seq2seq.SampleEmbeddingHelper(
            lambda ids: tf.nn.embedding_lookup(parts.table, ids),
            parts.start,
            EOS,
            softmax_temperature=2.0,
            seed=15,
        ),
    )
    add(
        "custom",
        seq2seq.CustomHelper(
            lambda: (tf.tile([False], [BATCH]), tf.ones([BATCH, DEPTH])),
            lambda time, outputs, state: tf.argmin(outputs, 1, output_type=tf.int32),
            lambda time, outputs, state, sample_ids: (
                tf.equal(time + 2, parts.lengths),
                tf.nn.embedding_lookup(parts.table, sample_ids),
                state,
            ),
        ),
    )
    add(
        "inference",
        seq2seq.InferenceHelper(
            lambda outputs: tf.tanh(outputs),
            [CLASSES],
            tf.float32,
            tf.ones([BATCH, DEPTH]),
            lambda ids: ids[:, 0] > 0.5,
            next_inputs_fn=lambda ids: ids[:, :DEPTH],
        ),
    )
    return found


def mechanisms(parts):
    """Name -> what a decoder with each mechanism gives, and its gradients."""
    luong, bahdanau = seq2seq.LuongAttention, seq2seq.BahdanauAttention
    goes_on = seq2seq.LuongMonotonicAttention, seq2seq.BahdanauMonotonicAttention
    kinds = {
        "luong": lambda: luong(UNITS, parts.memory),
        "scaled": lambda: luong(UNITS, parts.memory, parts.memory_lengths, scale=True),
        "hard": lambda: luong(
            UNITS, parts.memory, parts.memory_lengths, probability_fn=seq2seq.hardmax
        ),
        "bahdanau": lambda: bahdanau(5, parts.memory, parts.memory_lengths),
        "normed": lambda: bahdanau(
            5, parts.memory, parts.memory_lengths, normalize=True, score_mask_value=-2.0
        ),
        "luong_on": lambda: goes_on[0](
            UNITS,
            parts.memory,
            parts.memory_lengths,
            scale=True,
            sigmoid_noise=1.0,
            sigmoid_noise_seed=21,
            score_bias_init=-0.5,
        ),
        "bahdanau_on": lambda: goes_on[1](
            5, parts.memory, normalize=True, mode="recursive"
        ),
        "hard_on": lambda: goes_on[1](5, parts.memory, mode="hard"),
    }
    found = {}
    for name, make in sorted(kinds.items()):
        with tf.variable_scope(name):
            cell = seq2seq.AttentionWrapper(
                tf.nn.rnn_cell.BasicLSTMCell(UNITS), make(), 3, alignment_history=True
            )
            helper = seq2seq.TrainingHelper(parts.inputs, parts.lengths)
            # Noise is drawn in turn.
            outputs, state, _ = decode(parts, helper, cell, parallel_iterations=1)
            found[name] = with_gradient(outputs, parts.inputs, parts.memory)
            found[name] += [state.alignment_history.stack(), state.cell_state.h]
    with tf.variable_scope("several"):
        layers = [tf.layers.Dense(2, name="one"), tf.layers.Dense(3, name="two")]
        cell = seq2seq.AttentionWrapper(
            tf.nn.rnn_cell.GRUCell(UNITS),
            [kinds["luong"](), kinds["bahdanau"]()],
            attention_layer=layers,
            output_attention=False,
            cell_input_fn=lambda inputs, attention: inputs + attention[:, :DEPTH],
            initial_cell_state=parts.memory[:, 0],
        )
        helper = seq2seq.TrainingHelper(parts.inputs, parts.lengths)
        outputs, state, _ = decode(parts, helper, cell)
        found["several"] = with_gradient(outputs, parts.inputs, parts.memory)
        found["several"] += [state.attention] + list(state.alignments)
    return found


def beams(parts):
    """Name -> what beam search gives."""
    found = {}
    for name, options in sorted(
        {
            "beams": {},
            "long_beams": {"length_penalty_weight": 1.0},
            "covering_beams": {
                "coverage_penalty_weight": 0.002,
                "length_penalty_weight": 0.5,
            },
        }.items()
    ):
        with tf.variable_scope(name):
            memory = parts.memory
            if "covering" in name:
                memory = tf.placeholder_with_default(memory, [None, None, UNITS])
            memory = seq2seq.tile_batch(memory, 4)
            lengths = seq2seq.tile_batch(parts.memory_lengths, 4)
            cell = seq2seq.AttentionWrapper(
                tf.nn.rnn_cell.BasicLSTMCell(UNITS),
                seq2seq.LuongAttention(UNITS, memory, lengths),
                alignment_history=True,
            )
            decoder = seq2seq.BeamSearchDecoder(
                cell,
                parts.table,
                parts.start,
                2 if "long" in name else 6,  # Some beams end by it.
                cell.zero_state(BATCH * 4, tf.float32),
                4,
                tf.layers.Dense(CLASSES, name="projection"),
                **options,
            )
            outputs, state, lengths = seq2seq.dynamic_decode(
                decoder, maximum_iterations=7
            )
            history = state.cell_state.alignment_history
            if "covering" not in name:  # They are sorted where no size is known.
                history = history.stack()
            found[name] = [
                outputs.predicted_ids,
                outputs.beam_search_decoder_output.parent_ids,
                outputs.beam_search_decoder_output.scores,
                state.log_probs,
                state.lengths,
                lengths,
                history,
            ]
    return found


def functions():
    """Name -> what each function gives."""
    random = np.random.RandomState(31)
    stops, before = random.rand(2, 5), random.rand(2, 5)
    before /= before.sum(1, keepdims=True)
    ids = random.randint(1, 5, [4, 2, 3])
    parents = random.randint(0, 3, [4, 2, 3])
    return {
        "tree": [
            seq2seq.gather_tree(
                tf.constant(ids, tf.int32), tf.constant(parents, tf.int32), [4, 3], EOS
            )
        ],
        "tiled": [seq2seq.tile_batch((stops, tf.constant(ids)), 2)],
        "hardmax": [seq2seq.hardmax(stops)],
        "product": [seq2seq.safe_cumprod(stops, axis=1, exclusive=True)],
        "goes_on": [
            seq2seq.monotonic_attention(
                stops.astype("float32"), before.astype("float32"), mode
            )
            for mode in ("recursive", "parallel")
        ]
        + [seq2seq.monotonic_attention(np.round(stops), np.eye(2, 5), "hard")],
    }


def main(_):
    tf.set_random_seed(1)
    initializer = tf.random_uniform_initializer(-0.9, 0.9, seed=3)
    with tf.variable_scope("", initializer=initializer):
        parts = Parts()
        found = [helpers(parts), mechanisms(parts), beams(parts), functions()]
    with tf.Session() as sess, open(os.path.join(FLAGS.dir, "loss"), "w") as log:
        sess.run(tf.global_variables_initializer())
        for variable in tf.trainable_variables():
            shape = map(str, map(float, variable.shape.as_list()))
            log.write(" ".join(["variable=" + variable.op.name] + list(shape)) + "\n")
        for group in found:
            for name, tensors in sorted(group.items()):
                for value in tf.contrib.framework.nest.flatten(sess.run(tensors)):
                    numbers = map(repr, map(float, np.ravel(value)))
                    log.write(" ".join([name] + list(numbers)) + "\n")


if __name__ == "__main__":
    tf.app.run()
