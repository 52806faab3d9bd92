import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3, 2])
outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), x, dtype=tf.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(outputs, {x: np.ones([1, 3, 2])}))
