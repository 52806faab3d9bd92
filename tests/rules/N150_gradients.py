import tensorflow as tf
g = tf.gradients(loss, w)[0]
op = tf.train.AdamOptimizer().apply_gradients([(g, w)], global_step=step)
