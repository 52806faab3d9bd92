"""Functions that use the module's session, are given it, or ask for the default one."""
import sys

import numpy as np
import tensorflow as tf
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


def add_layer(inputs, in_size, out_size, activation_function=None):
    initial = np.random.RandomState(in_size).randn(in_size, out_size)
    Weights = tf.Variable(initial.astype(np.float32))
    biases = tf.Variable(tf.zeros([1, out_size]) + 0.1)
    Wx_plus_b = tf.matmul(inputs, Weights) + biases
    if activation_function is None:
        return Wx_plus_b
    return activation_function(Wx_plus_b)


def compute_accuracy(v_xs, v_ys):
    global prediction
    y_pre = sess.run(prediction, feed_dict={xs: v_xs, keep_prob: 1})
    correct_prediction = tf.equal(tf.argmax(y_pre, 1), tf.argmax(v_ys, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
    result = sess.run(accuracy, feed_dict={xs: v_xs, ys: v_ys, keep_prob: 1})
    return result


def evaluate(session, x, y, verbose=False):
    feed = {xs: x, ys: y, keep_prob: 1.}
    if len(x) == 0:
        return None
    loss_value, acc = session.run([cross_entropy, train_accuracy], feed)
    if verbose:
        print(loss_value, acc)
    return loss_value


def largest_bias():
    session = tf.get_default_session()
    return session.run(tf.reduce_max(biases)) + biases.eval().min()


def step(session, x, y):
    session.run(train_step, feed_dict={xs: x, ys: y, keep_prob: 1.})
    return evaluate(session, x, y)


rs = np.random.RandomState(0)
keep_prob = tf.placeholder(tf.float32)
xs = tf.placeholder(tf.float32, [None, 6])
ys = tf.placeholder(tf.float32, [None, 3])
l1 = tf.nn.dropout(add_layer(xs, 6, 10, tf.nn.tanh), keep_prob)
biases = tf.Variable(tf.zeros([3]))
prediction = tf.nn.softmax(add_layer(l1, 10, 3) + biases)
cross_entropy = tf.reduce_mean(
    -tf.reduce_sum(ys * tf.log(prediction), reduction_indices=[1]))
correct = tf.equal(tf.argmax(prediction, 1), tf.argmax(ys, 1))
train_accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(8):
        batch_xs = rs.rand(10, 6)
        batch_ys = np.eye(3)[batch_xs[:, :3].argmax(1)]
        log.write("%d %r\n" % (i, float(step(sess, batch_xs, batch_ys))))
        if i % 4 == 0:
            log.write("%d %r\n" % (i, float(compute_accuracy(batch_xs, batch_ys))))
            evaluate(sess, batch_xs, batch_ys, verbose=True)
    log.write("8 %r\n" % float(largest_bias()))
log.close()
