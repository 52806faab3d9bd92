import tensorflow as tf
tf.own = {}
tf.own.clear()
