import tensorflow as tf
tf.train.replica_device_setter
