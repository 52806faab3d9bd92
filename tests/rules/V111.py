import tensorflow as tf

saver = tf.train.Saver(chosen())
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
