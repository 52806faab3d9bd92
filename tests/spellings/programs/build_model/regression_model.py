"""A linear model, and its update."""
import tensorflow as tf


def _loss(x, y, w, b):
    return tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))


def build_model(x, y, learning_rate):
    with tf.variable_scope("linear"):
        w = tf.get_variable("w", shape=[3, 1], initializer=tf.constant_initializer(0.2))
        b = tf.get_variable("b", shape=[1], initializer=tf.zeros_initializer())
    loss = _loss(x, y, w, b)
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.MomentumOptimizer(learning_rate, momentum=0.9)
    gradients = optimizer.compute_gradients(loss)
    train_op = optimizer.apply_gradients(gradients, global_step=step)
    return train_op, loss, (w, b), step
