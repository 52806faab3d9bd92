import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
update = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
averages = tf.train.ExponentialMovingAverage(0.99)
with tf.control_dependencies([update]):
  train_op = averages.apply([w])
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  sess.run(train_op, {x: np.ones([1, 3])})
