"""The module of Estimators of Keras models, which is handed on whole."""

import tensorflow as tf


def make(module, model):
    return module.model_to_estimator(keras_model=model)


model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile("sgd", "mse")
config = tf.estimator.RunConfig()
estimator = make(tf.keras.estimator, model)
print(estimator.model_dir)
