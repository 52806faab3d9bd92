import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
