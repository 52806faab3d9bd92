import tensorflow as tf
tf.summary.merge
