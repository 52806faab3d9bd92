import tensorflow as tf
tf.get_collection
