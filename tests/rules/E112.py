import tensorflow as tf

tf.contrib.learn.Experiment()
estimator = tf.estimator.Estimator(model_fn)
