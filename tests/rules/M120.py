import tensorflow as tf
tf.metrics.accuracy
