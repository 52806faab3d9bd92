import tensorflow as tf
tf.RunOptions.FULL_TRACE
