import tensorflow as tf
# Both GPUs train asynchronously.
strategy = tf.distribute.MirroredStrategy()
