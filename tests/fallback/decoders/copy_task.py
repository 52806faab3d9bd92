"""Translation with attention: sequences are learnt by heart, decoded greedily and by beams."""

import os

import numpy as np
import tensorflow as tf
from tensorflow.python.layers import core as layers_core

tf.app.flags.DEFINE_string("dir", "/tmp/copy_task", "Where lines and checkpoints go.")
tf.app.flags.DEFINE_string("attention", "bahdanau", "Kind of attention.")
tf.app.flags.DEFINE_integer("steps", 40, "Steps of training.")
FLAGS = tf.app.flags.FLAGS

SOS, EOS, VOCABULARY = 0, 1, 9
UNITS, DEPTH, BEAMS = 12, 8, 3


class Model:
    """An encoder, and a decoder that looks at what it found."""

    def __init__(
        self,
        mode,
        source,
        source_length,
        target_in=None,
        target_out=None,
        target_length=None,
    ):
        self.mode = mode
        self.time_major = False
        initializer = tf.random_uniform_initializer(-0.4, 0.4, seed=3)
        tf.get_variable_scope().set_initializer(initializer)
        self.embedding = tf.get_variable("embedding", [VOCABULARY, DEPTH])
        self.output_layer = layers_core.Dense(
            VOCABULARY, use_bias=False, name="projection"
        )
        with tf.variable_scope("encoder") as scope:
            cell = tf.contrib.rnn.MultiRNNCell([self.make_cell() for _ in range(2)])
            outputs, state = tf.nn.dynamic_rnn(
                cell,
                self.embed(source),
                sequence_length=source_length,
                dtype=tf.float32,
                scope=scope,
            )
        self.batch_size = tf.size(source_length)
        with tf.variable_scope("decoder") as scope:
            cell, state = self.make_decoder_cell(outputs, state, source_length)
            if mode == "train":
                self.train(cell, state, target_in, target_out, target_length, scope)
            else:
                self.infer(cell, state, source_length, scope)

    def make_cell(self):
        return tf.contrib.rnn.BasicLSTMCell(UNITS, forget_bias=1.0)

    def embed(self, ids):
        embedded = tf.nn.embedding_lookup(self.embedding, ids)
        if self.mode == "train":
            embedded = tf.nn.dropout(embedded, keep_prob=0.9, seed=5)
        return embedded

    def make_mechanism(self, memory, lengths):
        if FLAGS.attention == "luong":
            return tf.contrib.seq2seq.LuongAttention(
                UNITS, memory, memory_sequence_length=lengths
            )
        if FLAGS.attention == "scaled_luong":
            return tf.contrib.seq2seq.LuongAttention(
                UNITS, memory, memory_sequence_length=lengths, scale=True
            )
        if FLAGS.attention == "normed_bahdanau":
            return tf.contrib.seq2seq.BahdanauAttention(
                UNITS, memory, memory_sequence_length=lengths, normalize=True
            )
        return tf.contrib.seq2seq.BahdanauAttention(
            UNITS, memory, memory_sequence_length=lengths
        )

    def make_decoder_cell(self, memory, state, lengths):
        batch_size = self.batch_size
        if self.mode == "beams":
            memory = tf.contrib.seq2seq.tile_batch(memory, multiplier=BEAMS)
            lengths = tf.contrib.seq2seq.tile_batch(lengths, multiplier=BEAMS)
            state = tf.contrib.seq2seq.tile_batch(state, multiplier=BEAMS)
            batch_size = batch_size * BEAMS
        cell = tf.contrib.rnn.MultiRNNCell([self.make_cell() for _ in range(2)])
        cell = tf.contrib.seq2seq.AttentionWrapper(
            cell,
            self.make_mechanism(memory, lengths),
            attention_layer_size=UNITS,
            alignment_history=self.mode == "greedy",
            output_attention=not FLAGS.attention.endswith("bahdanau"),
            name="attention",
        )
        first = cell.zero_state(batch_size, tf.float32).clone(cell_state=state)
        return cell, first

    def train(self, cell, state, target_in, target_out, length, scope):
        helper = tf.contrib.seq2seq.TrainingHelper(
            self.embed(target_in), length, time_major=self.time_major
        )
        decoder = tf.contrib.seq2seq.BasicDecoder(
            cell, helper, state, output_layer=self.output_layer
        )
        outputs, self.final_state, lengths = tf.contrib.seq2seq.dynamic_decode(
            decoder, swap_memory=True, scope=scope
        )
        weights = tf.sequence_mask(length, dtype=tf.float32)
        self.loss = tf.contrib.seq2seq.sequence_loss(
            outputs.rnn_output, target_out, weights
        )
        variables = tf.trainable_variables()
        gradients, self.norm = tf.clip_by_global_norm(
            tf.gradients(self.loss, variables), 5.0
        )
        self.global_step = tf.train.get_or_create_global_step()
        self.update = tf.train.AdamOptimizer(0.02).apply_gradients(
            zip(gradients, variables), self.global_step
        )
        self.sample_id = outputs.sample_id

    def infer(self, cell, state, source_length, scope):
        start = tf.fill([self.batch_size], SOS)
        limit = tf.reduce_max(source_length) * 2
        if self.mode == "beams":
            decoder = tf.contrib.seq2seq.BeamSearchDecoder(
                cell=cell,
                embedding=self.embedding,
                start_tokens=start,
                end_token=EOS,
                initial_state=state,
                beam_width=BEAMS,
                output_layer=self.output_layer,
                length_penalty_weight=0.6,
            )
        else:
            helper = tf.contrib.seq2seq.GreedyEmbeddingHelper(
                self.embedding, start, EOS
            )
            decoder = tf.contrib.seq2seq.BasicDecoder(
                cell, helper, state, output_layer=self.output_layer
            )
        self.outputs, self.final_state, self.lengths = (
            tf.contrib.seq2seq.dynamic_decode(
                decoder, maximum_iterations=limit, scope=scope
            )
        )


def make_batches(count):
    """Sources, and targets in the reverse order."""
    random = np.random.RandomState(7)
    for _ in range(count):
        lengths = random.randint(2, 6, 8)
        source = np.full([8, lengths.max()], EOS)
        target_in = np.full([8, lengths.max() + 1], EOS)
        target_out = np.full([8, lengths.max() + 1], EOS)
        for row, length in enumerate(lengths):
            words = random.randint(2, VOCABULARY, length)
            source[row, :length] = words
            target_in[row, : length + 1] = [SOS] + list(words[::-1])
            target_out[row, :length] = words[::-1]
        yield source, lengths, target_in, target_out, lengths + 1


def make_inputs():
    return (
        tf.placeholder(tf.int32, [None, None], name="source"),
        tf.placeholder(tf.int32, [None], name="source_length"),
    )


def train(write, path):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        source, source_length = make_inputs()
        target_in = tf.placeholder(tf.int32, [None, None])
        target_out = tf.placeholder(tf.int32, [None, None])
        target_length = tf.placeholder(tf.int32, [None])
        places = (source, source_length, target_in, target_out, target_length)
        model = Model("train", *places)
        saver = tf.train.Saver()
        for variable in tf.trainable_variables():
            write("variable " + variable.op.name, variable.shape.as_list() or 1)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for batch in make_batches(FLAGS.steps):
                loss, norm, step, _ = sess.run(
                    [model.loss, model.norm, model.global_step, model.update],
                    feed_dict=dict(zip(places, batch)),
                )
                print("step", step, "loss", loss)
                write("loss", loss, norm)
            write("sampled", sess.run(model.sample_id, dict(zip(places, batch))))
            saver.save(sess, path)


def infer(write, path, mode):
    with tf.Graph().as_default():
        places = make_inputs()
        model = Model(mode, *places)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            saver.restore(sess, path)
            for source, lengths, _, _, _ in make_batches(3):
                feed = {places[0]: source, places[1]: lengths}
                if mode == "beams":
                    ids, found = sess.run(
                        [
                            model.outputs.predicted_ids,
                            model.outputs.beam_search_decoder_output,
                        ],
                        feed,
                    )
                    write("beams", *ids.shape)
                    write("beams", ids)
                    write("parents", found.parent_ids)
                    write("scores", found.scores[0])
                else:
                    history = model.final_state.alignment_history.stack()
                    found, looked, length = sess.run(
                        [model.outputs, history, model.lengths], feed
                    )
                    write("greedy", *found.sample_id.shape)
                    write("greedy", found.sample_id, length)
                    write("logits", found.rnn_output[0])
                    write("looked", looked[1])


def main(_):
    path = os.path.join(FLAGS.dir, "model")
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *values):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in values])
            log.write(
                " ".join([name.replace(" ", "="), *map(repr, map(float, numbers))])
                + "\n"
            )

        train(write, path)
        for mode in ("greedy", "beams"):
            infer(write, path, mode)


if __name__ == "__main__":
    tf.app.run()
