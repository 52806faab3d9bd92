import tensorflow as tf
tf.log
