import tensorflow as tf

average = tf.train.ExponentialMovingAverage(0.9)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
