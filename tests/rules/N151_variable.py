import tensorflow as tf

w = tf.get_variable("w", **shape)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
