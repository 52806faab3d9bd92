"""Two directions of cells made by a function; the checkpoint has TF1's names."""
import sys
import zlib

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
init = tf.constant_initializer(0.2)
X = tf.placeholder(tf.float32, [None, None, 3])
Y = tf.placeholder(tf.int32, [None])
lengths = tf.placeholder(tf.int32, [None])


def lstm_cell():
    return tf.nn.rnn_cell.LSTMCell(4, initializer=init, cell_clip=1., num_proj=3)


with tf.variable_scope("bi"):
    forward = tf.nn.rnn_cell.MultiRNNCell([lstm_cell() for _ in range(2)])
    backward = tf.nn.rnn_cell.GRUCell(5, kernel_initializer=init)
    outputs, last = tf.nn.bidirectional_dynamic_rnn(
        forward, backward, X, sequence_length=lengths, dtype=tf.float32)
h = tf.concat(outputs, 2)
W = tf.get_variable("W", [8, 2], initializer=tf.constant_initializer(
    np.linspace(-1, 1, 16)))
logits = tf.matmul(tf.reduce_mean(h, 1) + tf.reduce_mean(last[1]), W)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
    logits=logits, labels=Y))
train = tf.train.MomentumOptimizer(.1, .9).minimize(loss)
saver = tf.train.Saver()
rs = np.random.RandomState(3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        n = rs.randint(3, 6)
        _, value = sess.run([train, loss], {
            X: rs.rand(4, n, 3), Y: rs.randint(0, 2, 4),
            lengths: rs.randint(1, n + 1, 4)})
        log.write("%d %r\n" % (step, float(value)))
    path = saver.save(sess, out + "/model")
names = sorted((name, list(shape)) for name, shape in tf.train.list_variables(path))
log.write("8 %r\n" % float(zlib.crc32(repr(names).encode())))
log.close()
