"""A network that is given the session, and copies of variables between scopes."""
import tensorflow as tf


class QNetwork(object):
    def __init__(self, scope, lr):
        self.scope = scope
        with tf.variable_scope(scope):
            self.s = tf.placeholder(tf.float32, [None, 3])
            self.t = tf.placeholder(tf.float32, [None, 2])
            w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.2))
            b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
            self.q = tf.tanh(tf.matmul(self.s, w)) + b
            self.loss = tf.reduce_mean(tf.square(self.q - self.t))
            self.train_op = tf.train.GradientDescentOptimizer(lr).minimize(self.loss)

    def predict(self, sess, s):
        return sess.run(self.q, {self.s: s})

    def update(self, sess, s, t):
        loss, _ = sess.run([self.loss, self.train_op], {self.s: s, self.t: t})
        return loss


def make_copy_ops(source, destination):
    from_vars = sorted(tf.trainable_variables(source), key=lambda v: v.name)
    to_vars = sorted(tf.trainable_variables(destination), key=lambda v: v.name)
    return [b.assign(a) for a, b in zip(from_vars, to_vars)]
