import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
parts = [x * tf.Variable(1.0), x * 2.0]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for part in parts:
        print(sess.run(part, {x: np.ones([1, 2])}))
