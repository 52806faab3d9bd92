import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
if x.shape[0] != tf.get_variable("n", [2]).shape[0]:
    loss = tf.reduce_sum(x * tf.Variable(1.0))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: np.ones([1, 2])}))
