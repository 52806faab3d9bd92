import tensorflow as tf
tf.nope
