import tensorflow as tf
import tf_keras
from tf_keras import layers

outputs = layers.Dense(3, kernel_initializer="zeros")(inputs)
model = tf_keras.Model(inputs, outputs)
loss_object = tf_keras.losses.CategoricalCrossentropy()
