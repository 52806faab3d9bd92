"""The first tutorial: an InteractiveSession before the graph, eval() and run()."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
sess = tf.InteractiveSession()


def weight_variable(shape):
    initial = tf.constant(0.1, shape=shape)
    return tf.Variable(initial)


rng = np.random.RandomState(0)
x = tf.placeholder(tf.float32, shape=[None, 5])
y_ = tf.placeholder(tf.float32, shape=[None, 3])
keep_prob = tf.placeholder(tf.float32)
W = weight_variable([5, 3])
b = weight_variable([3])
h = tf.nn.dropout(tf.matmul(x, W) + b, keep_prob)
cross_entropy = tf.reduce_mean(
    tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=h))
train_op = tf.train.AdamOptimizer(1e-2).minimize(cross_entropy)
correct_prediction = tf.equal(tf.argmax(h, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))

# Train.
tf.global_variables_initializer().run()
for i in range(20):
    xs = rng.randn(50, 5)
    ys = np.eye(3)[xs[:, :3].argmax(1)]
    if i % 5 == 0:
        value = cross_entropy.eval(feed_dict={x: xs, y_: ys, keep_prob: 1.0})
        share = accuracy.eval(feed_dict={x: xs, y_: ys, keep_prob: 1.0})
        log.write("%d %r\n" % (i, float(value)))
        log.write("%d %r\n" % (i, float(share)))
    train_op.run(feed_dict={x: xs, y_: ys, keep_prob: 1.0})
log.write("20 %r\n" % float(W.eval().sum() + np.abs(b.eval()).sum()))
log.close()
sess.close()
