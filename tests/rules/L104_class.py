import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_sum(tf.layers.Dense(1)(x))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: np.ones([1, 2])}))
