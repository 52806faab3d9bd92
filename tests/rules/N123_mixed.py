import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim


def network(inputs):
    hidden = slim.fully_connected(inputs, 2, scope="hidden")
    scale = tf.Variable(0.5, name="scale")
    return hidden * scale


x = tf.placeholder(tf.float32, [None, 2])
y = network(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: np.ones([1, 2])}))
