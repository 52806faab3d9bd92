import tensorflow.compat.v1 as tf


def build(x):
    cell = tf.nn.rnn_cell.BasicLSTMCell(2)
    return tf.layers.dense(x, 1), cell
