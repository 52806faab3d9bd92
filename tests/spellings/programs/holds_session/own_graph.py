"""The object has a graph of its own; each method enters it; close() ends the session."""
import argparse

import numpy as np
import tensorflow as tf


class Regressor:
    def __init__(self, dims, lr):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self._build(dims, lr)
            self.init = tf.global_variables_initializer()
        self.sess = tf.Session(graph=self.graph)
        self.sess.run(self.init)

    def _build(self, dims, lr):
        self.inputs = tf.placeholder(tf.float32, [None, dims])
        self.targets = tf.placeholder(tf.float32, [None, 1])
        self.w = tf.get_variable("w", [dims, 1], initializer=tf.constant_initializer(0.1))
        self.output = tf.tanh(tf.matmul(self.inputs, self.w))
        self.loss = tf.reduce_mean(tf.square(self.output - self.targets))
        self.train_op = tf.train.GradientDescentOptimizer(lr).minimize(self.loss)

    def partial_fit(self, x, y):
        loss, _ = self.sess.run((self.loss, self.train_op), feed_dict={self.inputs: x, self.targets: y})
        return loss

    def transform(self, x):
        return self.sess.run(self.output, feed_dict={self.inputs: x})

    def close(self):
        self.sess.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    args = parser.parse_args()
    model = Regressor(4, 0.1)
    rng = np.random.RandomState(2)
    with open(args.dir + "/loss.0", "w") as log:
        for step in range(6):
            x = rng.rand(5, 4)
            log.write("%d %r\n" % (step, float(model.partial_fit(x, x[:, :1]))))
            log.write("%d %r\n" % (step, float(model.transform(x).sum())))
        log.write("6 %r\n" % float(model.sess.run(model.w).sum()))
    model.close()
