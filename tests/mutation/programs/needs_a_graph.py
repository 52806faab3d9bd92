import tensorflow as tf


def curvature(y, x):
    return tf.hessians(tf.log(y), x)
