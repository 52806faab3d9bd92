import tensorflow as tf
tf.contrib.slim
