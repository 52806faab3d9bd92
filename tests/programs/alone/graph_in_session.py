"""Operations are still added in the session's block; a session made by name and closed."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
x = tf.placeholder(tf.float32, [None, 5])
y = tf.placeholder(tf.float32, [None, 3])
W = tf.Variable(tf.zeros([5, 3]))
b = tf.Variable(tf.zeros([3]))
pred = tf.nn.softmax(tf.matmul(x, W) + b)
cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), reduction_indices=1))
optimizer = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
rng = np.random.RandomState(0)

sess = tf.Session()
init = tf.global_variables_initializer()
sess.run(init)
for epoch in range(3):
    avg_cost = 0.
    for i in range(10):
        xs = rng.randn(50, 5)
        ys = np.eye(3)[xs[:, :3].argmax(1)]
        _, c = sess.run([optimizer, cost], feed_dict={x: xs, y: ys})
        avg_cost += c / 10
    # Test the model
    correct_prediction = tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
    log.write("%d %r\n" % (epoch, float(avg_cost)))
    log.write("%d %r\n" % (epoch, float(sess.run(accuracy, {x: xs, y: ys}))))
sess.close()
log.close()
