import tensorflow as tf
tf.estimator.ModeKeys.TRAIN
