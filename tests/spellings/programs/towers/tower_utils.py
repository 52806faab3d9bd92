"""The model of a tower, and the average of the towers' gradients."""
import tensorflow as tf


def tower_loss(x, y, reuse):
    with tf.variable_scope("net", reuse=reuse):
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        predicted = tf.matmul(x, w) + b
    return tf.reduce_mean(tf.square(predicted - y))


def average(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        grads, variables = zip(*pairs)
        result.append((tf.add_n(grads) / float(len(grads)), variables[0]))
    return result
