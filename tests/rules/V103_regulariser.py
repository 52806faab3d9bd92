import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
regularizer = tf.contrib.layers.l2_regularizer(0.05)
h = x
for _ in range(2):
    h = tf.layers.dense(h, 2, kernel_regularizer=regularizer)
loss = tf.reduce_sum(h) + tf.losses.get_regularization_loss()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: np.ones([1, 2])}))
