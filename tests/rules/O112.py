import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([1.0, 1.0])
loss = tf.reduce_sum(x * w)
gradients = tf.gradients(loss, [w])
train_op = tf.train.GradientDescentOptimizer(0.1).apply_gradients(zip(gradients, [w]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train_op, loss], {x: np.ones([1, 2])}))
