"""Arrays and random numbers that a thread puts into a queue again and again."""
import sys

import numpy as np
import tensorflow as tf

DIR = sys.argv[1].split("=")[1]
images = np.arange(24, dtype=np.float32).reshape(12, 2)
labels = np.arange(12, dtype=np.int64)
image, label = tf.train.batch([images, labels], 5, enqueue_many=True)
noise = tf.random_uniform([2], seed=3)
value = tf.random_normal([], seed=4)
value.set_shape([])
n, v = tf.train.batch([noise, value], batch_size=2)
w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
loss = tf.reduce_sum(image * w) / 100.0 + tf.reduce_sum(tf.to_float(label))
train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
with tf.Session() as sess, open(DIR + "/loss.0", "w") as log:
  sess.run(tf.global_variables_initializer())
  threads = tf.train.start_queue_runners()
  for i in range(6):
    log.write("%d %r\n" % (i, float(sess.run([train, loss])[1])))
  for i in range(4):
    a, b = sess.run([n, v])
    log.write("%d %r\n" % (i, float(a.sum() * b.sum())))
