import tensorflow as tf
step = tf.train.get_global_step()
