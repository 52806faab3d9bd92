"""A model whose properties keep what they built, by hand; a trainer that is given it."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


class Model(object):

    def __init__(self, image, label, hidden=5):
        self.image = image
        self.label = label
        self.hidden = hidden
        self._logits = None
        self._loss = None
        self._optimize = None
        self._error = None
        # Build the graph.
        self.optimize
        self.error

    @property
    def logits(self):
        """The network, built once."""
        if self._logits is None:
            with tf.variable_scope("network"):
                w = tf.get_variable("w", [4, self.hidden],
                                    initializer=tf.constant_initializer(
                                        np.linspace(-1, 1, 20).reshape(4, 5)))
                h = tf.nn.tanh(tf.matmul(self.image, w))
                u = tf.get_variable("u", [5, 2], initializer=tf.constant_initializer(0.1))
                self._logits = tf.matmul(h, u)
        return self._logits

    @property
    def loss(self):
        if self._loss is None:
            cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self.label, logits=self.logits)
            self._loss = tf.reduce_mean(cross_entropy)
        return self._loss

    @property
    def optimize(self):
        if self._optimize is None:
            optimizer = tf.train.RMSPropOptimizer(0.03)
            self._optimize = optimizer.minimize(self.loss)
        return self._optimize

    @property
    def error(self):
        if self._error is None:
            mistakes = tf.not_equal(self.label, tf.argmax(self.logits, 1))
            self._error = tf.reduce_mean(tf.cast(mistakes, tf.float32))
        return self._error


def main():
    data = np.random.RandomState(0).rand(20, 4).astype(np.float32)
    labels = (data.sum(1) > 2).astype(np.int64)
    image = tf.placeholder(tf.float32, [None, 4])
    label = tf.placeholder(tf.int64, [None])
    model = Model(image, label)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    for epoch in range(4):
        for begin in range(0, 20, 5):
            _, loss = sess.run([model.optimize, model.loss],
                               {image: data[begin:begin + 5], label: labels[begin:begin + 5]})
            log.write("%d %r\n" % (begin, float(loss)))
        log.write("100 %r\n" % float(sess.run(model.error, {image: data, label: labels})))


if __name__ == "__main__":
    main()
    log.close()
