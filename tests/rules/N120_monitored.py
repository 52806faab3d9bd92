import tensorflow as tf
tf.train.MonitoredSession
