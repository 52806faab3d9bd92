import tensorflow as tf

w = tf.get_variable("w")
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
