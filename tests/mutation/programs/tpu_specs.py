"""The model_fn of a TPUEstimator, which another file makes: of tf.estimator it has modes."""

import tensorflow as tf


def model_fn(features, labels, mode, params):
    net = tf.layers.dense(features["x"], 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.contrib.tpu.TPUEstimatorSpec(mode, predictions={"net": net})
    loss = tf.losses.mean_squared_error(labels, net)
    train_op = tf.train.GradientDescentOptimizer(params["rate"]).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train_op)
