import tensorflow as tf
tf.app
