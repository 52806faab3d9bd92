import tensorflow.compat.v2 as tf

column = tf.feature_column.numeric_column("x")
classifier = tf.estimator.LinearClassifier([column])
config = tf.estimator.RunConfig()
