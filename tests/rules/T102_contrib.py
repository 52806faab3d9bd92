import tensorflow as tf
tf.contrib.data.AUTOTUNE
