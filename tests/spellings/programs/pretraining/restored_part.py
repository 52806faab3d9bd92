"""Two graphs and two sessions; the second restores the encoder by a Saver of a list."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
rng = np.random.RandomState(6)


def encode(x):
    with tf.variable_scope("encoder"):
        w = tf.get_variable("w", [4, 2], initializer=tf.constant_initializer(0.3))
        return tf.tanh(tf.matmul(x, w)), w


def pretrain(log, path):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4])
        code, w = encode(x)
        d = tf.get_variable("d", [2, 4], initializer=tf.constant_initializer(0.1))
        loss = tf.reduce_mean(tf.square(tf.matmul(code, d) - x))
        train_op = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(5):
                value, _ = sess.run([loss, train_op], {x: rng.rand(6, 4)})
                log.write("%d %r\n" % (step, float(value)))
            tf.train.Saver([w]).save(sess, path)
            return float(sess.run(d).sum())


def finetune(log, path, total):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.float32, [None, 1])
        code, w = encode(x)
        v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(0.2))
        loss = tf.reduce_mean(tf.square(tf.matmul(code, v) - y))
        train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        saver = tf.train.Saver([w])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            saver.restore(sess, path)
            for step in range(5, 10):
                data = rng.rand(6, 4)
                value, _ = sess.run([loss, train_op], {x: data, y: data[:, :1]})
                log.write("%d %r\n" % (step, float(value)))
            log.write("10 %r\n" % (total + float(sum(a.sum() for a in sess.run([w, v])))))


with open(os.path.join(out, "loss.0"), "w") as log:
    path = os.path.join(out, "encoder.ckpt")
    finetune(log, path, pretrain(log, path))
