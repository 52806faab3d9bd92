import tensorflow as tf
from otherlib.losses import smooth

x = tf.placeholder(tf.float32, [None, 5])
w = tf.get_variable("w", [5, 1])
loss = tf.reduce_mean(smooth(tf.matmul(x, w) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(30):
        sess.run(train_op, {x: rng.randn(10, 5)})
