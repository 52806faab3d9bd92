import tensorflow as tf

with tf.variable_scope(None):
  pass
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
