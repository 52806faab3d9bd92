"""A penalty in a function that a flag's program starts."""

import tensorflow as tf


def train(unused):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.layers.dense(x, 1, kernel_regularizer=tf.nn.l2_loss)
    total = tf.reduce_mean(tf.square(y - 1.0)) + tf.losses.get_regularization_loss()
    update = tf.train.GradientDescentOptimizer(0.1).minimize(total)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update, {x: [[1.0, 2.0, 3.0]]})


if __name__ == "__main__":
    tf.app.run(train)
