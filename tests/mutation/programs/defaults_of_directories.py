"""Default values that ask for directories: the same at every call."""

# ruff: noqa: B008

import os

import tensorflow as tf


def read(
    here=os.getcwd(),
    home=os.path.expanduser("~"),
    name=os.path.basename("a/b"),
    above=os.path.dirname("a/b"),
    whole=os.path.abspath("a"),
    real=os.path.realpath("a"),
    joined=os.path.join("a", "b"),
):
    data = tf.data.Dataset.from_tensors(
        tf.constant([1.0, 2.0, 3.0])
        * len(here + home + name + above + whole + real + joined)
    )
    return data.repeat().make_one_shot_iterator().get_next()


x = read()
w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(x * w - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss]))
