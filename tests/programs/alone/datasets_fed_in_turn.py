"""A dataset made of placeholders, fed where its iterator is initialised; train and test."""
import os
import sys

import numpy as np
import tensorflow as tf


def main(out):
    rng = np.random.RandomState(0)
    train_x = rng.randn(40, 4).astype(np.float32)
    train_y = train_x.sum(1, keepdims=True)
    test_x, test_y = train_x[:10] * 2, train_y[:10] * 2

    batch_size = tf.placeholder(tf.int64, [])
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 1])
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(50, seed=3)
    dataset = dataset.batch(batch_size).repeat()
    iterator = dataset.make_initializable_iterator()
    features, labels = iterator.get_next()

    w = tf.get_variable("w", [4, 1], initializer=tf.constant_initializer(0.3))
    prediction = tf.matmul(features, w)
    loss = tf.losses.mean_squared_error(labels, prediction)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss)

    with tf.Session() as sess, open(os.path.join(out, "loss.0"), "w") as log:
        sess.run(tf.global_variables_initializer())
        for epoch in range(3):
            sess.run(iterator.initializer, feed_dict={x: train_x, y: train_y, batch_size: 8})
            for i in range(5):
                _, value = sess.run([train_op, loss])
                log.write("%d %r\n" % (i, float(value)))
            sess.run(iterator.initializer, feed_dict={x: test_x, y: test_y, batch_size: test_x.shape[0]})
            log.write("%d %r\n" % (epoch, float(sess.run(loss))))


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
