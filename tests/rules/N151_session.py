import tensorflow as tf

with tf.Session(*settings) as sess:
  sess.run(tf.global_variables_initializer())
