"""Every kind of cell and loop, their variables assigned by the program."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
x = tf.placeholder(tf.float32, [None, 4, 3])
y = tf.placeholder(tf.float32, [None, 1])
lstm = tf.nn.rnn_cell.BasicLSTMCell(3, forget_bias=0.5)
first = tf.nn.rnn_cell.LSTMStateTuple(
    tf.fill([tf.shape(x)[0], 3], 0.1), tf.fill([tf.shape(x)[0], 3], 0.2))
with tf.variable_scope("one"):
    outputs, state = tf.nn.dynamic_rnn(lstm, x, initial_state=first)
wrapped = tf.nn.rnn_cell.ResidualWrapper(tf.contrib.rnn.GRUCell(3))
with tf.variable_scope("two"):
    outputs, _ = tf.nn.dynamic_rnn(wrapped, outputs, dtype=tf.float32,
                                   scope="residual")
forward = tf.contrib.rnn.BasicRNNCell(3, activation=tf.nn.relu)
backward = tf.contrib.rnn.BasicRNNCell(2)
both, _, _ = tf.contrib.rnn.static_bidirectional_rnn(
    forward, backward, tf.unstack(outputs, axis=1), dtype=tf.float32)
top = tf.contrib.rnn.BasicLSTMCell(2, state_is_tuple=False)
state_2 = top.zero_state(tf.shape(x)[0], tf.float32)
output, state_2 = top(both[-1], state_2)
output, state_2 = top(both[0], state_2)
pred = tf.reduce_sum(output, 1, keepdims=True) + tf.reduce_mean(state.h)
loss = tf.reduce_mean(tf.square(pred - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
rs = np.random.RandomState(3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for v in tf.trainable_variables():
        size = int(np.prod(v.shape.as_list()))
        value = np.linspace(-1, 1, size) * len(v.name) / 80.
        sess.run(v.assign(value.reshape(v.shape.as_list())))
    for step in range(6):
        xs = rs.rand(4, 4, 3)
        _, value = sess.run([train, loss], {x: xs, y: xs.mean((1, 2))[:, None]})
        log.write("%d %r\n" % (step, float(value)))
log.close()
