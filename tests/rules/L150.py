import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim

x = tf.placeholder(tf.float32, [None, 2])
y = slim.fully_connected(x, 1, scope="out")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: np.ones([1, 2])}))
