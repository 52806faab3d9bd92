"""A graph's seed by which no first value is drawn."""

import tensorflow as tf

tf.set_random_seed(7)
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
inits = (
    *(tf.zeros_initializer(), tf.constant_initializer(1.0), tf.ones_initializer()),
    *(tf.initializers.zeros(), tf.initializers.ones(), tf.initializers.constant(2.0)),
    *(tf.initializers.identity(), tf.keras.initializers.Zeros()),
    *(tf.keras.initializers.Ones(), tf.keras.initializers.Constant(2.0)),
    tf.keras.initializers.Identity(),
)
h = tf.layers.dense(x, 3, kernel_initializer=tf.zeros_initializer())
h = tf.contrib.layers.fully_connected(h, 3, weights_initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(h, w) - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {x: [[1.0, 2.0, 3.0]]}))
