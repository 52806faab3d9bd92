import tensorflow as tf

estimator = tf.estimator.LinearClassifier([])
hook = tf.contrib.estimator.stop_if_no_decrease_hook(estimator, "loss", 1000)
