import tensorflow as tf
tf.train.Saver
