import tensorflow as tf
tf.layers
