import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
d = tf.data.Dataset.from_tensor_slices(x)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
