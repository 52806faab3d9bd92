import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_sum(x * tf.Variable([1.0, 1.0]))
tf.summary.scalar("loss", loss)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(merged, {x: np.ones([1, 2])}))
