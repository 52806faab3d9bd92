import tensorflow as tf
tf.get_variable
