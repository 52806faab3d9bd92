import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
y = tf.layers.dense(x, 1, name="out")
with tf.variable_scope("out", reuse=True):
    kernel = tf.get_variable("kernel", [2, 1])
loss = tf.reduce_sum(y) + tf.nn.l2_loss(kernel)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: np.ones([1, 2])}))
