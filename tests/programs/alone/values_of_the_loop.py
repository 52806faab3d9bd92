"""Values of the loop in what is run: a sample's label, a test error, a rate."""
import random
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
rs = np.random.RandomState(1)
train_X, train_Y = rs.rand(20, 3), rs.rand(20, 1)
X = tf.placeholder(tf.float32, [None, 3])
Y = tf.placeholder(tf.float32, [None, 1])
W = tf.Variable(tf.ones([3, 1]), name="W")
last_epoch = tf.Variable(0, name="last_epoch", trainable=False)
learning_rate = tf.Variable(0.1, trainable=False)
pred = tf.matmul(X, W)
cost = tf.reduce_mean(tf.square(pred - Y))
train = tf.train.GradientDescentOptimizer(learning_rate).minimize(cost)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(5):
        sess.run(learning_rate.assign(0.1 * 0.9 ** epoch))
        for i in range(0, 20, 5):
            sess.run(train, {X: train_X[i:i + 5], Y: train_Y[i:i + 5]})
        c = sess.run(cost, feed_dict={X: train_X, Y: train_Y})
        log.write("%d %r\n" % (epoch, float(c)))
        sess.run(tf.assign(last_epoch, epoch + 1))
        print(epoch, c, sess.run(last_epoch), sess.run(learning_rate))
    r = random.Random(0).randint(0, 19)
    log.write("7 %r\n" % float(sess.run(tf.argmax(train_X[r:r + 1], 1))[0]))
    log.write("8 %r\n" % float(sess.run(tf.argmax(pred, 1), feed_dict={X: train_X[r:r + 1]})[0]))
    test_X, test_Y = rs.rand(7, 3), rs.rand(7, 1)
    test_cost = sess.run(tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * test_X.shape[0]),
                         feed_dict={X: test_X, Y: test_Y})
    log.write("9 %r\n" % float(test_cost))
    first = sess.run(pred[:r % 4 + 1], {X: test_X})
    log.write("10 %r\n" % float(first.sum()))
log.close()
