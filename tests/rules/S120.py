import tensorflow as tf
tf.Session
