"""Programs that cannot become tf.distribute yet, in graph mode on TensorFlow 2.21.

`--fallback compat` brings a refused program, whole, to `tensorflow.compat.v1`. It stays
a program of TensorFlow 1, and its report says why.
"""
