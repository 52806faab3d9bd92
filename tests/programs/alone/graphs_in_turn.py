"""A script that builds a graph, resets it and builds another, three times."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def reset_graph(seed=42):
    tf.reset_default_graph()
    np.random.seed(seed)


def network(x, hidden):
    h = tf.layers.dense(x, hidden, activation=tf.nn.tanh,
                        kernel_initializer=tf.constant_initializer(0.2))
    return tf.layers.dense(h, 1, kernel_initializer=tf.constant_initializer(-0.3))


data = np.random.RandomState(0).rand(20, 3).astype(np.float32)
target = (data.sum(1, keepdims=True) - 1.5) ** 2

# By gradients that are computed by hand.
reset_graph()
X = tf.constant(data, name="X")
y = tf.constant(target, name="y")
theta = tf.Variable(tf.zeros([3, 1]), name="theta")
error = tf.matmul(X, theta) - y
mse = tf.reduce_mean(tf.square(error), name="mse")
gradients = 2.0 / 20 * tf.matmul(tf.transpose(X), error)
training_op = tf.assign(theta, theta - 0.1 * gradients)
init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)
    for epoch in range(5):
        log.write("%d %r\n" % (epoch, float(mse.eval())))
        sess.run(training_op)
    best_theta = theta.eval()

log.write("9 %r\n" % float(best_theta.sum()))

# By an optimizer, on batches.
reset_graph()
n_hidden = 4
X = tf.placeholder(tf.float32, shape=(None, 3), name="X")
y = tf.placeholder(tf.float32, shape=(None, 1), name="y")
prediction = network(X, n_hidden)
mse = tf.reduce_mean(tf.square(prediction - y), name="mse")
training_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(mse)
init = tf.global_variables_initializer()
saver = tf.train.Saver()

with tf.Session() as sess:
    sess.run(init)
    for epoch in range(3):
        for begin in range(0, 20, 5):
            batch = data[begin:begin + 5], target[begin:begin + 5]
            _, loss = sess.run([training_op, mse], feed_dict={X: batch[0], y: batch[1]})
            log.write("%d %r\n" % (10 + epoch * 20 + begin, float(loss)))
    save_path = saver.save(sess, os.path.join(out, "my_model.ckpt"))

# And what came of it.
reset_graph()
X = tf.placeholder(tf.float32, shape=(None, 3), name="X")
prediction = network(X, n_hidden)
saver = tf.train.Saver()

with tf.Session() as sess:
    saver.restore(sess, save_path)
    for value in prediction.eval(feed_dict={X: data[:6]}):
        log.write("100 %r\n" % float(value[0]))
log.close()
