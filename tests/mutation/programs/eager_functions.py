"""Functions of tf.contrib.eager that differentiate functions."""

import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
w = tfe.Variable(2.0, name="w")


def square(x):
    return w * x * x


print(tfe.implicit_gradients(square)(3.0))
print(tfe.implicit_value_and_gradients(square)(3.0))
print(tfe.gradients_function(square)(3.0))
print(tfe.value_and_gradients_function(square)(3.0))
