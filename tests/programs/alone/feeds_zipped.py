"""Feeds by comprehensions and zip: lists of placeholders, dicts of them, and a model's method."""
import sys

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(4)
points = rng.randn(60, 3).astype(np.float32)
sums = np.sum(points, 1) + 0.1 * rng.randn(60).astype(np.float32)


def batches(size):
    for start in range(0, 60, size):
        yield points[start:start + size], sums[start:start + size], 0.1


class Model(object):

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3], name="x")
        self.y = tf.placeholder(tf.float32, [None], name="y")
        self.rate = tf.placeholder(tf.float32, [], name="rate")
        w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
        self.error = tf.reduce_sum(self.x * w, 1) + b - self.y
        self.loss = tf.reduce_mean(tf.square(self.error))
        optimizer = tf.train.GradientDescentOptimizer(self.rate)
        self.update = optimizer.minimize(self.loss)

    def step(self, sess, iterator):
        holder = [self.x, self.y, self.rate]
        return sess.run([self.update, self.loss],
                        feed_dict=dict(zip(holder, next(iterator))))


model = Model()
inputs = [model.x, model.y]
named = {"points": model.x, "sums": model.y}
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    step = 0
    iterator = batches(12)
    for _ in range(5):
        _, value = model.step(sess, iterator)
        log.write("%d %r\n" % (step, float(value)))
        step += 1
    # Two of a batch's three parts.
    for batch in batches(20):
        value = sess.run(model.loss, feed_dict={p: v for p, v in zip(inputs, batch)})
        log.write("%d %r\n" % (step, float(value)))
        step += 1
    for start in range(0, 60, 15):
        given = {"points": points[start:start + 15], "sums": sums[start:start + 15]}
        feed = {named[key]: given[key] for key in ["points", "sums"]}
        feed[model.rate] = 0.05
        _, value = sess.run([model.update, model.loss], feed_dict=feed)
        log.write("%d %r\n" % (step, float(value)))
        step += 1
        error = sess.run(model.error, {inputs[i]: np.abs(batch[i]) for i in range(len(inputs))})
        log.write("%d %r\n" % (step, float(np.sum(error))))
        step += 1
log.close()
