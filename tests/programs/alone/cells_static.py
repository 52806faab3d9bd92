"""Sequences of several lengths through a static LSTM; the last output of each counts."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
seq_max_len, n_hidden, n_classes = 5, 4, 2
x = tf.placeholder("float", [None, seq_max_len, 1])
y = tf.placeholder("float", [None, n_classes])
seqlen = tf.placeholder(tf.int32, [None])
weights = {"out": tf.Variable(np.linspace(-1, 1, 8).reshape(4, 2).astype(np.float32))}
biases = {"out": tf.Variable(tf.constant(.1, shape=[n_classes]))}


def dynamic_rnn(x, seqlen, weights, biases):
    x = tf.unstack(x, seq_max_len, 1)
    lstm_cell = rnn.LSTMCell(n_hidden, initializer=tf.constant_initializer(0.15))
    outputs, states = rnn.static_rnn(lstm_cell, x, dtype=tf.float32,
                                     sequence_length=seqlen)
    outputs = tf.transpose(tf.stack(outputs), [1, 0, 2])
    # Where each sequence ends.
    index = tf.range(0, tf.shape(outputs)[0]) * seq_max_len + (seqlen - 1)
    outputs = tf.gather(tf.reshape(outputs, [-1, n_hidden]), index)
    return tf.matmul(outputs, weights["out"]) + biases["out"]


pred = dynamic_rnn(x, seqlen, weights, biases)
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=pred, labels=y))
optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.1).minimize(cost)
init = tf.global_variables_initializer()
rs = np.random.RandomState(3)
with tf.Session() as sess:
    sess.run(init)
    for step in range(8):
        feed = {x: rs.rand(4, 5, 1), y: np.eye(2)[rs.randint(0, 2, 4)],
                seqlen: rs.randint(1, 6, 4)}
        sess.run(optimizer, feed_dict=feed)
        log.write("%d %r\n" % (step, float(sess.run(cost, feed_dict=feed))))
log.close()
