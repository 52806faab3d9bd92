"""Keras in a plain session: layers and a class of its own, whose variables are saved."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K


def draw(seed, *shape):
    return tf.constant_initializer(np.random.RandomState(seed).randn(*shape) * 0.4)


class Encoder(tf.keras.Model):
    def __init__(self, width):
        super(Encoder, self).__init__(name="encoder")
        self.first = tf.keras.layers.Dense(
            width, activation=tf.nn.tanh, kernel_initializer=draw(3, 6, width))
        self.second = tf.keras.layers.Dense(4, kernel_initializer=draw(4, width, 4))

    def call(self, inputs):
        return self.second(tf.nn.relu(self.first(inputs)))


def main(directory):
    images = tf.placeholder(tf.float32, shape=(None, 6))
    labels = tf.placeholder(tf.float32, shape=(None, 3))

    # Keras layers are called on TensorFlow's tensors.
    encoded = Encoder(5)(images)
    x = tf.keras.layers.Dropout(0.9999999)(encoded) + encoded
    preds = tf.keras.layers.Dense(
        3, activation="softmax", kernel_initializer=draw(5, 4, 3))(x)
    loss = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(labels, preds))
    right = tf.reduce_mean(tf.keras.metrics.categorical_accuracy(labels, preds))
    train_step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    ops = [train_step, loss]
    saver = tf.train.Saver()

    rng = np.random.RandomState(2)
    pictures = rng.rand(60, 6).astype(np.float32)
    kinds = np.eye(3, dtype=np.float32)[pictures[:, :3].argmax(1)]

    sess = tf.Session()
    K.set_session(sess)
    sess.run(tf.global_variables_initializer())
    log = open(directory + "/loss.0", "w")
    with sess.as_default():
        for i in range(12):
            rows = slice(i * 5, i * 5 + 5)
            feed = {images: pictures[rows], labels: kinds[rows], K.learning_phase(): 1}
            sess.run(ops, feed_dict=feed)
            # What it costs is looked at, without another step.
            cost = sess.run(ops[1], feed_dict=feed)
            log.write("%d %r\n" % (i, float(cost)))
            share = sess.run(right, feed_dict={
                images: pictures, labels: kinds, K.learning_phase(): 0})
            log.write("%d %r\n" % (100 + i, float(share)))
        path = saver.save(sess, directory + "/model")
    # Where a checkpoint has each of them, a number for its name.
    for name, shape in sorted(tf.train.list_variables(path)):
        if "dense" in name:
            log.write("%d %r\n" % (sum(map(ord, name)), float(np.prod(shape))))


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
