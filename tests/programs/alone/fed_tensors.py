"""Feeds tensors that are no placeholders: a constant, a tensor with a default, a dataset's batch."""
import os
import sys

import numpy as np
import tensorflow as tf


def dataset():
    rng = np.random.RandomState(0)
    xs = rng.randn(40, 4).astype(np.float32)
    ys = xs.sum(1, keepdims=True)
    return tf.data.Dataset.from_tensor_slices((xs, ys)).repeat().batch(8)


def main(out):
    keep_prob = tf.constant(1.0, name="keep_prob")
    scale = tf.constant(2, dtype=tf.float32)
    rate = tf.placeholder_with_default(0.05, [])
    x, y = dataset().make_one_shot_iterator().get_next()
    w = tf.get_variable("w", [4, 1], initializer=tf.constant_initializer(0.3))
    out_ = tf.matmul(x * keep_prob, w) * scale
    loss = tf.reduce_mean(tf.square(out_ - y))
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    test_x = np.ones((3, 4), np.float32)
    test_y = np.full((3, 1), 4.0, np.float32)
    with tf.Session() as sess, open(os.path.join(out, "loss.0"), "w") as log:
        sess.run(tf.global_variables_initializer())
        for step in range(8):
            _, value = sess.run([train_op, loss], feed_dict={keep_prob: 0.5, rate: 0.02 * (step + 1)})
            log.write("%d %r\n" % (step, float(value)))
            value = sess.run(loss, feed_dict={x: test_x, y: test_y})
            log.write("%d %r\n" % (step, float(value)))
        log.write("%d %r\n" % (9, float(sess.run(loss, {x: test_x, y: test_y, keep_prob: 0.9, scale: 1.5}))))
        log.write("%d %r\n" % (10, float(sess.run([loss, train_op], {x: test_x, y: test_y})[0])))
        log.write("%d %r\n" % (11, float(sess.run(loss))))


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
