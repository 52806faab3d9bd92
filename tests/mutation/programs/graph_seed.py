"""A step that draws by the seed of its graph."""

import tensorflow as tf

tf.set_random_seed(7)
x = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
net = tf.matmul(x + tf.random_normal([1]), w)
loss = tf.reduce_mean(tf.square(net - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {x: [[1.0]]})
