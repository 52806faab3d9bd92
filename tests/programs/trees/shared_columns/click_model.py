"""The model of the clicks, whatever its columns are."""
import tensorflow as tf


def model_fn(features, labels, mode, params):
    net = tf.feature_column.input_layer(features, params["columns"])
    net = tf.layers.dense(net, 4, tf.nn.tanh,
                          kernel_initializer=tf.constant_initializer([0.1, -0.2, 0.3, -0.4] * 7))
    logits = tf.layers.dense(net, 1, kernel_initializer=tf.constant_initializer([0.5, -0.5, 0.3, 0.2]))
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
