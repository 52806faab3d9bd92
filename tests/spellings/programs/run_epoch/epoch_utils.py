"""A model, and a function that runs an epoch of it."""
import tensorflow as tf


class LinearModel(object):
    def __init__(self, lr):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        self.cost = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1))
        self.train_op = tf.train.GradientDescentOptimizer(lr).minimize(self.cost)


def run_epoch(sess, model, batches, train=False):
    fetches = [model.cost]
    if train:
        fetches.append(model.train_op)
    costs = [float(sess.run(fetches, {model.x: batch})[0]) for batch in batches]
    return sum(costs) / len(costs)
