"""Stacked cells with dropout that is fed, in a dynamic loop; gradients are clipped."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
x = tf.placeholder(tf.float32, [None, 4, 3])
y = tf.placeholder(tf.float32, [None, 1])
keep_prob = tf.placeholder(tf.float32)
init = tf.constant_initializer(0.2)
lstm_cell = tf.nn.rnn_cell.LSTMCell(5, initializer=init, use_peepholes=True)
lstm_cell = tf.nn.rnn_cell.DropoutWrapper(lstm_cell, output_keep_prob=keep_prob)
gru_cell = tf.contrib.rnn.GRUCell(5, kernel_initializer=init)
stacked = tf.nn.rnn_cell.MultiRNNCell([lstm_cell, gru_cell])
outputs, states = tf.nn.dynamic_rnn(stacked, x, dtype=tf.float32)
W = tf.Variable(tf.ones([5, 1]) * .3)
loss = tf.reduce_mean(tf.square(tf.matmul(outputs[:, -1, :], W) - y))
loss += 0.01 * tf.reduce_mean(states[0].c)
optimizer = tf.train.AdamOptimizer(0.01)
clipped = [(tf.clip_by_value(g, -1., 1.), v)
           for g, v in optimizer.compute_gradients(loss)]
train = optimizer.apply_gradients(clipped)
rs = np.random.RandomState(3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        xs = rs.rand(4, 4, 3)
        ys = xs.sum((1, 2))[:, None]
        _, value = sess.run([train, loss], {x: xs, y: ys, keep_prob: 1.0})
        log.write("%d %r\n" % (step, float(value)))
log.close()
