import tensorflow as tf
tf.placeholder
