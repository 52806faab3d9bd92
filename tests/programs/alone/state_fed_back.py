"""A recurrent network is trained on one sequence after another: its last state is fed again."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
TIME_STEP, INPUT_SIZE, CELL_SIZE = 6, 1, 5
tf_x = tf.placeholder(tf.float32, [None, TIME_STEP, INPUT_SIZE])
tf_y = tf.placeholder(tf.float32, [None, TIME_STEP, INPUT_SIZE])
cell = tf.nn.rnn_cell.LSTMCell(
    num_units=CELL_SIZE,
    initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=3))
init_s = cell.zero_state(batch_size=1, dtype=tf.float32)
outputs, final_s = tf.nn.dynamic_rnn(cell, tf_x, initial_state=init_s)
outs2D = tf.reshape(outputs, [-1, CELL_SIZE])
net_outs2D = tf.layers.dense(outs2D, INPUT_SIZE, kernel_initializer=(
    tf.constant_initializer(np.random.RandomState(1).randn(CELL_SIZE, INPUT_SIZE) * .4)))
outs = tf.reshape(net_outs2D, [-1, TIME_STEP, INPUT_SIZE])
loss = tf.losses.mean_squared_error(labels=tf_y, predictions=outs)
train_op = tf.train.AdamOptimizer(0.02).minimize(loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
for step in range(9):
    start, end = step * np.pi, (step + 1) * np.pi
    steps = np.linspace(start, end, TIME_STEP)
    x = np.sin(steps)[np.newaxis, :, np.newaxis]
    y = np.cos(steps)[np.newaxis, :, np.newaxis]
    if 'final_s_' not in globals():
        feed_dict = {tf_x: x, tf_y: y}
    else:
        feed_dict = {tf_x: x, tf_y: y, init_s: final_s_}
    _, pred_, final_s_ = sess.run([train_op, outs, final_s], feed_dict)
    log.write("%d %r\n" % (step, float(np.square(pred_ - y).sum())))
    log.write("%d %r\n" % (100 + step, float(final_s_[0].sum() + final_s_.h.max())))
log.close()
