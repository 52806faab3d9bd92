"""Letters one by one: the state of the cells is fed, and the next run goes on with it."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib import legacy_seq2seq, rnn

out = sys.argv[1].split("=")[1]
SIZE, LETTERS, BATCH, STEPS = 4, 10, 2, 3


def doubled(labels, logits):
    return 2.0 * tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


class Model(object):
    def __init__(self):
        values = tf.constant_initializer(0.2)
        cell = rnn.MultiRNNCell([rnn.LSTMCell(SIZE, initializer=values) for _ in range(2)])
        self.letters = tf.placeholder(tf.int32, [BATCH, STEPS])
        self.following = tf.placeholder(tf.int32, [BATCH, STEPS])
        self.c0 = tf.placeholder(tf.float32, [BATCH, SIZE])
        self.h0 = tf.placeholder(tf.float32, [BATCH, SIZE])
        self.c1 = tf.placeholder(tf.float32, [BATCH, SIZE])
        self.h1 = tf.placeholder(tf.float32, [BATCH, SIZE])
        state = (rnn.LSTMStateTuple(self.c0, self.h0), rnn.LSTMStateTuple(self.c1, self.h1))
        table = np.linspace(-1, 1, LETTERS * SIZE).reshape(LETTERS, SIZE).astype(np.float32)
        embedding = tf.Variable(table, name="embedding")
        weights = tf.Variable(-table.T, name="weights")
        inputs = tf.nn.embedding_lookup(embedding, self.letters)
        outputs, self.state = tf.nn.dynamic_rnn(cell, inputs, initial_state=state)
        logits = tf.matmul(tf.reshape(outputs, [-1, SIZE]), weights)
        each = legacy_seq2seq.sequence_loss_by_example(
            [logits], [tf.reshape(self.following, [-1])], [tf.ones([BATCH * STEPS])]
        )
        self.cost = tf.reduce_sum(each) / BATCH / STEPS
        self.again = legacy_seq2seq.sequence_loss(
            [logits, logits],
            [tf.reshape(self.following, [-1]), tf.reshape(self.letters, [-1])],
            [tf.ones([BATCH * STEPS]), tf.fill([BATCH * STEPS], 0.5)],
        )
        self.summed = legacy_seq2seq.sequence_loss(
            [logits],
            [tf.reshape(self.following, [-1])],
            [tf.fill([BATCH * STEPS], 0.5)],
            average_across_timesteps=False,
            average_across_batch=False,
            softmax_loss_function=doubled,
        )
        self.rate = tf.Variable(0.0, trainable=False, name="rate")
        self.new_rate = tf.placeholder(tf.float32, [])
        self.set_rate = tf.assign(self.rate, self.new_rate)
        variables = tf.trainable_variables()
        gradients, _ = tf.clip_by_global_norm(tf.gradients(self.cost, variables), 1.0)
        optimizer = tf.train.AdamOptimizer(self.rate)
        self.train_op = optimizer.apply_gradients(zip(gradients, variables))


def main():
    log = open(out + "/loss.0", "w")
    model = Model()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(2):
            sess.run(model.set_rate, {model.new_rate: 0.01 * 0.9**epoch})
            zeros = np.zeros([BATCH, SIZE])
            state = [(zeros, zeros), (zeros, zeros)]
            for step in range(3):
                letters = (np.arange(6).reshape([2, 3]) + step) % LETTERS
                feed = {
                    model.letters: letters,
                    model.following: (letters + 1) % LETTERS,
                    model.c0: state[0][0],
                    model.h0: state[0][1],
                    model.c1: state[1][0],
                    model.h1: state[1][1],
                }
                cost, again, summed, state, _ = sess.run(
                    [model.cost, model.again, model.summed, model.state, model.train_op],
                    feed,
                )
                log.write("%d %r\n" % (step, float(cost)))
                log.write("%d %r\n" % (step, float(again)))
                log.write("%d %r\n" % (step, float(summed)))
    log.close()


main()
