"""An Estimator whose program hands modules on, and shares the embedding of two columns."""

import tensorflow as tf

a = tf.feature_column.categorical_column_with_identity("a", 3)
b = tf.feature_column.categorical_column_with_identity("b", 3)
columns = tf.feature_column.shared_embedding_columns([a, b], dimension=2)


def describe(module):
    return module.__name__


def model_fn(features, labels, mode):
    net = tf.feature_column.input_layer(features, columns)
    w = tf.get_variable("w", [4, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(net, w) - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = ({"a": [[1]], "b": [[2]]}, [[1.0]])
    return tf.data.Dataset.from_tensors(data)


print(describe(tf.estimator))
tf.estimator.Estimator(model_fn, "/tmp/m").train(input_fn)
