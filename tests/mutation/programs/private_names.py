import tensorflow as tf
from tensorflow.python import keras
from tensorflow.python.framework import tensor_util
from tensorflow.python.keras.engine import base_layer_utils

x = tf.constant([1.0])
print(tensor_util.constant_value(x))
print(tensor_util.constant_value_as_shape(x))
print(keras.layers.Dense(1))
print(base_layer_utils.make_variable("w"))
