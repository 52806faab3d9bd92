"""A network whose variables all calls share."""
import functools

import tensorflow as tf


def shared(name):
    def decorate(function):
        @functools.wraps(function)
        def build(*args, **kwargs):
            with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
                return function(*args, **kwargs)
        return build
    return decorate


@shared("net")
def network(x, is_training):
    w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.4))
    v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(-0.1))
    hidden = tf.tanh(tf.matmul(x, w))
    if is_training:
        hidden = hidden * 0.5
    return tf.matmul(hidden, v)
