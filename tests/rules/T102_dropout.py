import tensorflow as tf
tf.nn.dropout(x, keep_prob=0.5, seed=11)
