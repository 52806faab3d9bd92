import tensorflow as tf
tf.initialize_all_variables
