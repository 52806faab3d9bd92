import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.Variable(tf.zeros([1]), name="w")
loss = tf.reduce_mean(tf.square(x * w - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        _, value = sess.run([train, w], {x: np.ones([3])})
        print("step %d: %.3f" % (step, value))
    print("%s is %.3f" % (w.name, sess.run(w)))
