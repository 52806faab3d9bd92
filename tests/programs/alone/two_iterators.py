"""A run takes a batch of each of two datasets: one to train, one to measure on."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
rng = np.random.RandomState(3)
features = rng.randn(40, 5).astype("float32")
labels = np.argmax(features[:, :3], 1).astype("int64")


def read(features, labels, size, epochs=None):
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    return dataset.repeat(epochs).batch(size).make_one_shot_iterator()


x, y = read(features[:28], labels[:28], 4, epochs=3).get_next()
validation = read({"rows": features[28:]}, labels[28:], 6).get_next()
w = tf.get_variable("w", [5, 3], initializer=tf.constant_initializer(0.1))
b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
    logits=tf.matmul(x, w) + b, labels=y))
train_op = tf.train.MomentumOptimizer(0.2, 0.9).minimize(loss)
measured = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
    logits=tf.matmul(validation[0]["rows"], w) + b, labels=validation[1]))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    step = 0
    try:
        while True:
            _, value = sess.run([train_op, loss])
            log.write("%d %r\n" % (step, float(value)))
            if step % 3 == 0:
                both = sess.run([loss, measured])
                log.write("%d %r\n" % (100 + step, float(both[0])))
                log.write("%d %r\n" % (200 + step, float(both[1])))
            if step % 5 == 0:
                log.write("%d %r\n" % (300 + step, float(sess.run(measured))))
            step += 1
    except tf.errors.OutOfRangeError:
        log.write("400 %d\n" % step)
log.close()
