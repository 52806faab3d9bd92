"""A graph that a function gives as a typed NamedTuple, beside settings in a dataclass."""
import dataclasses
import os
import sys
from typing import NamedTuple

import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class Settings:
    learning_rate: float = 0.2
    hidden: int = 5


class Graph(NamedTuple):
    """What the training loop runs and feeds."""

    x: tf.Tensor
    y: tf.Tensor
    loss: tf.Tensor
    accuracy: tf.Tensor
    train_op: tf.Operation
    name: str = "classifier"


def build_graph(settings):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.placeholder(tf.int64, [None], name="y")
    with tf.variable_scope("hidden"):
        w = tf.get_variable("w", [4, settings.hidden], initializer=tf.constant_initializer(
            np.linspace(-1.0, 1.0, 4 * settings.hidden).reshape(4, settings.hidden)))
        hidden = tf.nn.tanh(tf.matmul(x, w))
    with tf.variable_scope("output"):
        w = tf.get_variable("w", [settings.hidden, 3], initializer=tf.constant_initializer(
            np.linspace(0.5, -0.5, 3 * settings.hidden).reshape(settings.hidden, 3)))
        logits = tf.matmul(hidden, w)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    train_op = tf.train.MomentumOptimizer(settings.learning_rate, 0.9).minimize(loss)
    return Graph(x=x, y=y, loss=loss, accuracy=accuracy, train_op=train_op)


def batch(rng, size=20):
    values = rng.randn(size, 4)
    return values, np.argmax(values[:, :3], axis=1)


def main(directory):
    settings = Settings(learning_rate=0.3)
    graph = build_graph(settings)
    rng = np.random.RandomState(2)
    with open(os.path.join(directory, "loss.0"), "w") as log, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(8):
            values, labels = batch(rng)
            _, loss = sess.run([graph.train_op, graph.loss], {graph.x: values, graph.y: labels})
            log.write("%d %r\n" % (step, float(loss)))
        values, labels = batch(rng, 40)
        accuracy = sess.run(graph.accuracy, feed_dict={graph.x: values, graph.y: labels})
        log.write("%d %r\n" % (len(graph.name), float(accuracy)))


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
