import tensorflow as tf
s = tf.distribute.experimental.ParameterServerStrategy()
