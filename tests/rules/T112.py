import tensorflow as tf
tf.LMDBReader
