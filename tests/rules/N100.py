import tensorflow as tf
b = tf.placeholder(tf.float32)
