import tensorflow as tf
tf.train.MonitoredTrainingSession
