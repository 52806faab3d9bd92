"""contrib's layers that have no variables, in a model_fn that becomes the class of a Keras model."""

import tensorflow as tf


def model_fn(features, labels, mode):
    training = mode == tf.estimator.ModeKeys.TRAIN
    net = tf.layers.conv2d(features["x"], 4, 3)
    net = tf.cond(
        tf.reduce_sum(net) > 0,
        lambda: tf.contrib.layers.max_pool2d(net, 2),
        lambda: net[:, ::2, ::2],
    )
    net = tf.contrib.layers.avg_pool2d(net, 2)
    net = tf.contrib.layers.flatten(net)
    net = tf.contrib.layers.dropout(net, 0.5, is_training=training)
    kinds = tf.contrib.layers.one_hot_encoding(features["kind"], 3)
    net = tf.layers.dense(tf.concat([net, kinds], 1), 1)
    loss = tf.losses.mean_squared_error(labels, net)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    features = {"x": tf.ones([4, 9, 9, 1]), "kind": tf.ones([4], tf.int32)}
    return tf.data.Dataset.from_tensors((features, tf.ones([4, 1]))).repeat()


estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
estimator.train(input_fn, steps=4)
