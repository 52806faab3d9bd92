import tensorflow as tf
tf.nn.rnn_cell.GRUCell
