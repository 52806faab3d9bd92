import tensorflow as tf
tf.to_int32(x)
