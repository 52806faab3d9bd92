import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_sum(tf.layers.dense(x, 1))
train_op = tf.train.AdamOptimizer().minimize(loss)
variables = tf.global_variables()
penalty = tf.add_n([tf.reduce_sum(v) for v in variables])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run([train_op, penalty], {x: np.ones([1, 2])})
