import tensorflow as tf

w = tf.get_variable("w", [3, 1], regularizer=tf.contrib.layers.l2_regularizer(0.1))
penalty = tf.losses.get_regularization_loss()
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
