import tensorflow as tf
tf.random.set_seed(1)
tf.estimator.LinearClassifier([])
