"""A model_fn whose update is made by slim's name of optimize_loss."""

import tensorflow as tf


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [1, 1], initializer=tf.ones_initializer())
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features, w))
    train_op = tf.contrib.slim.optimize_loss(
        loss, tf.train.get_global_step(), learning_rate=0.1, optimizer="SGD"
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors(([[1.0]], [[2.0]])).repeat()


tf.estimator.Estimator(model_fn).train(input_fn, steps=2)
