"""A session that is opened while files of all kinds are open."""

import bz2
import codecs
import gzip
import io
import tempfile

import h5py
import tensorflow as tf
import tqdm

with tf.gfile.GFile("a") as a, tf.gfile.Open("b") as b, tf.gfile.FastGFile("c") as c:
    with tf.io.gfile.GFile("d") as d, bz2.open("e") as e, codecs.open("f") as f:
        with gzip.open("g") as g, h5py.File("h") as h, io.open("i") as i:  # noqa: UP020
            with tqdm.tqdm(total=3) as j, tempfile.NamedTemporaryFile() as k:
                with tempfile.TemporaryDirectory() as directory:
                    x = tf.placeholder(tf.float32, [None, 3])
                    w = tf.get_variable("w", [3, 1])
                    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
                    with tf.Session() as sess:
                        sess.run(tf.global_variables_initializer())
                        print(sess.run(loss, {x: [[1.0, 2.0, 3.0]]}))
