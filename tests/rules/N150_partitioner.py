import tensorflow as tf
tf.fixed_size_partitioner
