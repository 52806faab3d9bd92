import tensorflow as tf
tf.train.Server
