import tensorflow.compat.v1 as tf

x = tf.placeholder(tf.float32, [])
with tf.Session() as sess:
    print(sess.run(2.0 * x, {x: 1.0}))
