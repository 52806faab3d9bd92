"""The model, in a file of its own."""
import collections

import tensorflow as tf

Graph = collections.namedtuple("Graph", ["x", "y", "keep_prob", "logits", "loss", "accuracy"])


def dense(x, size, name, activation=None):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.get_shape().as_list()[-1], size],
                            initializer=tf.truncated_normal_initializer(stddev=0.2, seed=7))
        b = tf.get_variable("b", [size], initializer=tf.constant_initializer(0.0))
        out = tf.nn.xw_plus_b(x, w, b)
    return activation(out) if activation is not None else out


def build_graph(num_features, num_classes):
    x = tf.placeholder(tf.float32, shape=(None, num_features), name="x")
    y = tf.placeholder(tf.int64, shape=(None,), name="y")
    keep_prob = tf.placeholder_with_default(1.0, shape=(), name="keep_prob")
    net = dense(x, 12, "fc1", tf.nn.tanh)
    net = net * keep_prob
    logits = dense(net, num_classes, "fc2")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    correct = tf.equal(tf.argmax(logits, 1), y)
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
    return Graph(x=x, y=y, keep_prob=keep_prob, logits=logits, loss=loss, accuracy=accuracy)
