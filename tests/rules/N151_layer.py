import tensorflow as tf

y = tf.layers.dense(x, **layer)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
