import numpy as np
import tensorflow as tf


def halve(getter, *args, **kwargs):
    return 0.5 * getter(*args, **kwargs)


x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", [2, 1], custom_getter=halve)
loss = tf.reduce_sum(tf.matmul(x, w))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: np.ones([1, 2])}))
