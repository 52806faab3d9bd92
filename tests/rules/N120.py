import tensorflow as tf
tf.train.Supervisor
