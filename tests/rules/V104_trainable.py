import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([1.0, 1.0])
loss = tf.reduce_sum(x * w) + tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: np.ones([1, 2])}))
