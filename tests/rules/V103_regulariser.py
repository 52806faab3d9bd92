import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
regularizer = tf.contrib.layers.l2_regularizer(0.05)
loss = tf.reduce_sum(tf.layers.dense(x, 1, kernel_regularizer=regularizer))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: np.ones([1, 2])}))
