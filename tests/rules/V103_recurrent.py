import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3, 2])
cell = tf.nn.rnn_cell.GRUCell(4)
outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, swap_memory=True, scope=name)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(outputs, {x: np.ones([1, 3, 2])}))
