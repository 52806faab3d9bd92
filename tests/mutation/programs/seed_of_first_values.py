"""A graph's seed by which a variable's first value is drawn."""

import tensorflow as tf

tf.set_random_seed(7)
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {x: [[1.0, 2.0, 3.0]]}))
