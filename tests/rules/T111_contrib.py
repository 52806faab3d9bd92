import tensorflow as tf
tf.contrib.gan
