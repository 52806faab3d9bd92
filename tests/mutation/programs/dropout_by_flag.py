"""A layer that is told at each call whether it trains, in a session."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 1])
training = tf.placeholder(tf.bool, [])
net = tf.layers.dense(x, 1)
net = tf.layers.dropout(net, 0.5, training=training)
net = tf.layers.dropout(net, training=training)
loss = tf.reduce_mean(tf.square(net - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {x: [[1.0]], training: True})
    print(sess.run(loss, {x: [[1.0]], training: False}))
