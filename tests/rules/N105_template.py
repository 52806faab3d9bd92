import tensorflow as tf
tf.make_template
