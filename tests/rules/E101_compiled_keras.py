import tensorflow as tf

tf.logging.set_verbosity(tf.logging.INFO)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile("sgd", "mse")
estimator = tf.keras.estimator.model_to_estimator(keras_model=model)
estimator.train(input_fn, steps=10)
