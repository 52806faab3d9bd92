import tensorflow as tf
tf.train.AdamOptimizer
