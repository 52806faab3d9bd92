import tensorflow as tf

tf.contrib.learn.Estimator(model_fn)
estimator = tf.estimator.Estimator(model_fn)
