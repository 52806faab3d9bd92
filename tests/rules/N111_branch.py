import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(1.0)
h = x * w
if wide:
    w = tf.Variable(2.0)
    h = h * w
loss = tf.reduce_sum(h)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: np.ones([1, 2])}))
