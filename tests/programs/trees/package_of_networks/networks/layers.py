import tensorflow as tf


def weight_variable(shape, name):
    return tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=0.1, seed=11))


def bias_variable(shape, name):
    return tf.get_variable(name, shape, initializer=tf.constant_initializer(0.1))
