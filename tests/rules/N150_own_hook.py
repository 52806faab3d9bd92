import tensorflow as tf
tf.train.SessionRunHook
