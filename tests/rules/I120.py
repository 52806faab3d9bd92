import tensorflow as tf
tf.train.batch
