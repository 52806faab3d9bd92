import tensorflow as tf
tf.estimator.LinearClassifier
