import tensorflow as tf
e = tf.keras.estimator.model_to_estimator(keras_model=m)
