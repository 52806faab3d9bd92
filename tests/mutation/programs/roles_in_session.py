"""A layer's class, a schedule, a first value without arguments and the version, in a session."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
step = tf.train.get_or_create_global_step()
major = int(tf.__version__.split(".")[0])
layer = tf.layers.Dense(2)
with tf.variable_scope(
    "split", partitioner=tf.fixed_size_partitioner(2), initializer=tf.ones_initializer
):
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer)
net = tf.matmul(layer.apply(x), w) * major
loss = tf.reduce_mean(tf.square(net - 1.0))
rate = tf.train.exponential_decay(0.1, step, 10, 0.5)
train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {x: [[1.0, 2.0, 3.0, 4.0]]})
