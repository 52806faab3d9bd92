"""An autoencoder with a head, and the update of a phase."""
import tensorflow as tf


def build(x, y):
    w = tf.get_variable("w", [4, 2], initializer=tf.constant_initializer(0.3))
    d = tf.get_variable("d", [2, 4], initializer=tf.constant_initializer(0.1))
    v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(0.2))
    code = tf.tanh(tf.matmul(x, w))
    reconstruction = tf.reduce_mean(tf.square(tf.matmul(code, d) - x))
    loss = tf.reduce_mean(tf.square(tf.matmul(code, v) - y))
    return w, d, v, reconstruction, loss


def make_update(loss, rate, variables):
    return tf.train.GradientDescentOptimizer(rate).minimize(loss, var_list=variables)
