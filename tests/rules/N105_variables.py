import tensorflow as tf
tf.global_variables
