import tensorflow as tf
tf.log
getattr(tf, "log")
